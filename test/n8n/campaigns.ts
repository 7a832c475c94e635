import type { IDataObject, IRunExecutionData } from 'n8n-workflow';

import type { Contact, JsonObject, OptInStatus, Sandbox } from '../sandbox';
import { addContacts } from '../workflow/support';
import { outputItems, type NewWorkflow } from './n8nRestClient';
import { crmNode, manualWorkflow } from './workflows';

const CAMPAIGN_KEY = 'spring-sale';

/** How many recipients the node sends to at once. */
export const AT_ONCE = 5;

/** Of each 20 contacts, these have not confirmed. */
const OTHER_STATES: OptInStatus[] = ['opted_out', 'pending', 'none'];

/** The contacts of a workspace, as a campaign sees them. */
export interface Audience {
	/** Those in the input, in its order; some have not confirmed. */
	input: Contact[];
	/** Those in the input who have confirmed. */
	confirmed: Contact[];
	/** Those not in the input. */
	others: Contact[];
}

/** Contacts in the store. One of six is not in the input. */
export function addAudience(sandbox: Sandbox, count: number): Audience {
	const all = addContacts(sandbox, count);
	for (const [index, contact] of all.entries()) {
		contact.opt_in_status = OTHER_STATES[index % 20] ?? 'confirmed';
	}
	const isInInput = (index: number) => index % 6 !== 5;
	const input = all.filter((_, index) => isInInput(index));
	return {
		input,
		confirmed: input.filter(({ opt_in_status }) => opt_in_status === 'confirmed'),
		others: all.filter((_, index) => !isInInput(index)),
	};
}

/** Start, and the campaign to these contacts; each message names its contact. */
export function campaignWorkflow(input: readonly Contact[]): NewWorkflow {
	const campaign = crmNode({
		resource: 'message',
		operation: 'sendCampaign',
		contactId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
		campaignKey: CAMPAIGN_KEY,
		template: { __rl: true, mode: 'name', value: 'welcome' },
		options: { variables: { values: [{ name: 'name', value: '={{ $json.id }}' }] } },
	});
	return manualWorkflow(
		[campaign],
		input.map(({ id }) => ({ id })),
	);
}

/** What a campaign reports of each contact: the code of those that were skipped or failed, or the status. */
export function reportOf(data: IRunExecutionData): Array<[contactId: string, code: string]> {
	const items = [0, 1].flatMap((output) => outputItems(data, 'CRM', output));
	return items.map((item) => {
		const { status, code } = item.campaign as IDataObject;
		return [String(item.contact_id), String(code ?? status)];
	});
}

/** How things stand with the service, by its own record. */
export interface Standing {
	/** How many messages there are. */
	messages: number;
	/** The contacts with a mark and no message. */
	interrupted: string[];
	/** The confirmed contacts of the input without a mark and without a message. */
	left: string[];
	/** What must not be, in words. */
	problems: string[];
}

/** Holds the service's own record against what campaigns promise. */
export function standing({ store }: Sandbox, { confirmed, input, others }: Audience): Standing {
	const messagesOf = (id: string) => store.sentMessages.filter((each) => each.contact_id === id);
	const mayGet = new Set(confirmed);
	const found: Standing = {
		messages: store.sentMessages.length,
		interrupted: [],
		left: [],
		problems: [],
	};
	for (const contact of [...input, ...others]) {
		const messages = messagesOf(contact.id);
		const marks = marksOf(contact);
		const isMarked = marks.some(({ isTakenBack }) => !isTakenBack);
		const problems = [
			...contactProblems(marks, messages),
			...(mayGet.has(contact) ? [] : strangerProblems(contact, messages, marks)),
		];
		found.problems.push(...problems.map((problem) => `${contact.id}: ${problem}`));
		if (isMarked && messages.length === 0) found.interrupted.push(contact.id);
		if (mayGet.has(contact) && !isMarked && messages.length === 0) found.left.push(contact.id);
	}
	return found;
}

interface FoundMark {
	name: string;
	isTakenBack: boolean;
	/** When it was written, as its value says. */
	at: string;
	executionId: string;
}

/** Reads marks by the words of the README, not by the code that writes them. */
export function marksOf({ attributes }: { attributes: JsonObject }): FoundMark[] {
	return Object.entries(attributes)
		.filter(([name]) => name.startsWith('sent:'))
		.map(([name, value]) => {
			const [, refused, at, executionId] =
				/^(refused )?(\d{4}-\d\d-\d\dT[\d:.]+Z) execution (\d+)$/.exec(String(value)) ?? [];
			return { name, isTakenBack: refused !== undefined, at, executionId };
		});
}

const MARK = new RegExp(`^sent:${CAMPAIGN_KEY}:[0-9a-f]{8}$`);

type Message = Sandbox['store']['sentMessages'][number];

function contactProblems(marks: FoundMark[], messages: Message[]): string[] {
	const valid = marks.filter(({ isTakenBack }) => !isTakenBack);
	const [message] = messages;
	const isSaidToBe = (name: unknown) => name === message?.contact_id;
	return [
		...(messages.length > 1 ? [`has ${messages.length} messages`] : []),
		...(valid.length > 1 ? [`has ${valid.length} marks`] : []),
		...(message && valid.length === 0 ? ['has a message and no mark'] : []),
		...(message && valid[0] && valid[0].at > message.created_at ? ['got its mark too late'] : []),
		...(message && !isSaidToBe((message.variables as JsonObject).name)
			? ['has the message of somebody else']
			: []),
		...marks.filter(({ name, at }) => !MARK.test(name) || !at).map(({ name }) => `odd: ${name}`),
	];
}

/** Somebody who is not in the input, or has not confirmed. */
function strangerProblems(contact: Contact, messages: Message[], marks: FoundMark[]): string[] {
	return [
		...(messages.length > 0 ? [`has a message, being ${contact.opt_in_status}`] : []),
		...(marks.length > 0 ? [`has a mark, being ${contact.opt_in_status}`] : []),
	];
}
