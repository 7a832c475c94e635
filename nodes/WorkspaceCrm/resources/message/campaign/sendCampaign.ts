import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Api } from '../../../crm/client';
import { CrmError } from '../../../crm/crmError';
import type { Contact, WireRecord } from '../../../crm/records';
import { rethrow } from '../../../domain/inputProblem';
import type { Named } from '../../../domain/sameNumber';
import { plainText } from '../../../domain/text';
import {
	defineBulkOperation,
	readableParams,
	type BulkResult,
	type ItemMemory,
} from '../../../operations/define';
import { memoryOf, runAll } from '../../../operations/engine';
import { itemLabel } from '../../../operations/nodeErrors';
import { failedResult } from '../../../operations/result';
import { namedBy } from '../../fields/contactReference';
import { checkIn, readTemplates } from '../templateCheck';
import { readMessage, type Message, type PrepareFor } from '../templateMessage';
import {
	mayBeSent,
	messageOutput,
	NO_CONTACT,
	outcomeOfError,
	skipped,
	type MessageOutcome,
} from '../once/outcome';
import { sendOnce } from '../once/sendOnce';
import { CampaignEnd } from './campaignEnd';
import { campaignFields, readCampaignSettings, type CampaignItem } from './campaignFields';
import { Persons } from './persons';
import { summarizeCampaign } from './summary';

export const sendCampaign = defineBulkOperation({
	value: 'sendCampaign',
	name: 'Send Campaign',
	action: 'Send campaign to contacts of the input',
	description:
		'Send an approved template to each input contact that has confirmed. Running it again sends nothing twice.',
	hints: [
		{
			message:
				"The confirmed contacts of the input get the message, each once: put Segment > Get Contacts or Contact > Get Many in front of this node. Execute step sends real messages, and notes the campaign in an attribute of each contact. To preview who would get one, turn on 'Dry Run' under 'Options'.",
			when: '!$parameter["options"]?.["dryRun"]',
		},
	],
	effect: 'once',
	takes: 'all',
	forAgents: false,
	fields: campaignFields,
	ifFailed: failedResult,
	searchHint:
		'To send one template to many, use Message > Send Campaign, not a loop with Send Template. A campaign reaches only contacts whose opt_in_status is confirmed.',

	async executeAll(api, items, run) {
		const settings = readCampaignSettings(run.context, items);
		const { key, isDryRun, stopAfterFailures, stopAfterMessages } = settings;
		const outcomes = new Outcomes(run.context, items);
		const { done } = outcomes;
		const rule = { key, reach: 'confirmed' } as const;
		const persons = new Persons(rule);
		// Stop before anything is sent, so that the user can correct the input.
		const mustStop = () => outcomes.haveInvalid && !run.context.continueOnFail() && !isDryRun;
		const recipients = await prepareAll(api, outcomes, persons, mustStop).catch(
			(error: unknown) => {
				// What an earlier try has sent stays sent.
				if (done.length === 0 || !(error instanceof CrmError)) return rethrow(error);
				outcomes.failOthers(error);
				return [];
			},
		);
		for (const { item } of done) persons.begin(outcomes.of(item).contact ?? {}, item);
		const end = new CampaignEnd(stopAfterFailures, stopAfterMessages - done.length);
		const sendTo = async (
			contact: Contact,
			{ item, prepareFor }: Recipient,
		): Promise<MessageOutcome> => {
			const skip = persons.skipOf(contact) ?? end.begin();
			if (skip) return skip;
			// Whoever is skipped keeps nobody else from the message.
			persons.begin(contact, item);
			if (isDryRun) return previewOf(await prepareFor(contact));
			const twins = persons.twinsOf(contact);
			const sent = sendOnce(api, rule, contact, prepareFor, run, twins);
			return end.count(item, await sent.catch(outcomeOfError));
		};
		const send = async (recipient: Recipient): Promise<MessageOutcome> => {
			const contact = persons.find(recipient.named);
			if (!contact) return NO_CONTACT;
			return { ...(await sendTo(contact, recipient).catch(outcomeOfError)), contact };
		};
		// Contacts after the end get it as their reason.
		await runAll(run, recipients, {
			order: 'parallel',
			async act(recipient) {
				outcomes.set(recipient.item, await send(recipient).catch(outcomeOfError));
			},
		});
		return resultOf(api, items, { outcomes, settings, input: run.context.getInputData() });
	},
});

/** An item that gets the message, unless its contact is skipped. */
interface Recipient {
	item: number;
	named: Named;
	prepareFor: PrepareFor;
}

/** What became of each item of a campaign, in the memory of the run, where another try (Retry On Fail) finds it. */
class Outcomes {
	private readonly memory: (item: number) => ItemMemory<MessageOutcome>;
	/** The items whose message an earlier try has sent, or may have: another would send it again, or find the mark. */
	readonly done: readonly CampaignItem[];
	readonly open: readonly CampaignItem[];
	/** Whether an item of this try cannot be sent as it is. */
	haveInvalid = false;

	constructor(context: IExecuteFunctions, items: readonly CampaignItem[]) {
		this.memory = memoryOf<MessageOutcome>(context);
		const isDone = ({ item }: CampaignItem) => mayBeSent(this.of(item));
		this.done = items.filter(isDone);
		this.open = items.filter((each) => !isDone(each));
		for (const { item } of this.open) delete this.memory(item).result;
	}

	of(item: number): MessageOutcome {
		return this.memory(item).result ?? skipped('campaignEnded', NOT_BEGUN);
	}

	set(item: number, outcome: MessageOutcome): void {
		this.memory(item).result = outcome;
	}

	/** The result of `act`; none if it throws, which is the outcome of the item. */
	tryItem<T>(item: number, act: () => T): T[] {
		try {
			return [act()];
		} catch (error) {
			this.set(item, outcomeOfError(error));
			this.haveInvalid = true;
			return [];
		}
	}

	/** Fails all items that have no outcome. */
	failOthers(error: CrmError): void {
		for (const { item } of this.open) {
			this.memory(item).result ??= outcomeOfError(error);
		}
	}
}

/** Reads an item, without a request. @throws InputProblem if it is invalid */
function readRecipient(api: Api, item: CampaignItem) {
	const params = readableParams(item);
	const { contactId, options } = params;
	const { defaultCountry = '' } = options;
	const named = namedBy({ contactId, defaultCountry }, " under 'Options'");
	return { item: item.item, named, message: readMessage(api, params, { contact: true }) };
}

/**
 * Reads the items, checks their messages, and looks up their contacts, in this order.
 *
 * @param mustStop asked after each step
 * @returns the items whose message is complete; none if it must stop
 */
async function prepareAll(
	api: Api,
	outcomes: Outcomes,
	persons: Persons,
	mustStop: () => boolean,
): Promise<Recipient[]> {
	const read = outcomes.open.flatMap((each) =>
		outcomes.tryItem(each.item, () => readRecipient(api, each)),
	);
	if (mustStop()) return [];
	const mustCheck = read.some(({ message }) => message.mustBeFilled);
	const templates = mustCheck ? await readTemplates(api) : undefined;
	const recipients = read.flatMap(({ item, named, message }) =>
		outcomes.tryItem(item, () => ({ item, named, prepareFor: checkIn(templates, message) })),
	);
	if (mustStop()) return [];
	const wanted = recipients.map(({ named }) => named);
	await persons.lookUp(api, wanted).catch(outcomes.done.length === 0 ? asNothingSent : rethrow);
	return recipients;
}

function asNothingSent(error: unknown): never {
	throw error instanceof CrmError ? error.withContext('No message was sent.') : error;
}

const NOT_BEGUN = 'The campaign ended before this contact.';

function previewOf({ body, text }: Message): MessageOutcome {
	const record = { ...(text !== undefined && { text }), ...body } as WireRecord;
	return { result: 'wouldSend', record };
}

function resultOf(
	api: Api,
	items: readonly CampaignItem[],
	{
		outcomes,
		settings: { key, isDryRun },
		input,
	}: {
		outcomes: Outcomes;
		settings: { key: string; isDryRun: boolean };
		input: readonly INodeExecutionData[];
	},
): BulkResult {
	const all = items.map(({ item }) => outcomes.of(item));
	const labels = items.map(({ item }) => labelOf(input, item, outcomes.of(item)));
	return {
		outcomes: items.map(({ item, problem }) => ({
			json: messageOutput(outcomes.of(item), problem ? undefined : key),
			// A dry run never fails: its output shows the errors that a run would meet.
			error: isDryRun ? undefined : outcomes.of(item).error,
		})),
		more: [],
		summary: summarizeCampaign(all, labels, api.requestCount, isDryRun),
	};
}

/** The item as errors name it. Most inputs of campaigns are contacts; else, the CRM knows the name. */
function labelOf(
	input: readonly INodeExecutionData[],
	item: number,
	{ contact = {} }: MessageOutcome,
): string {
	const label = itemLabel(input, item) ?? 'the item';
	const called = label.includes(',') ? '' : contact.name || contact.phone || '';
	return called === '' ? label : `${label}, ${plainText(called, MAX_NAME_CHARACTERS)}`;
}

const MAX_NAME_CHARACTERS = 40;
