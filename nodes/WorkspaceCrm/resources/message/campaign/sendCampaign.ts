import type { Api } from '../../../api/client';
import { CrmError } from '../../../api/crmError';
import { readCampaignKey } from '../../../domain/campaignMark';
import { phoneDigits } from '../../../domain/phone';
import { InputProblem } from '../../../domain/problem';
import { defineBulkOperation, type BulkResult, type Run } from '../../../operations/define';
import type { FoundContact } from '../../contactReference';
import { findContacts, wantedOf, type Found, type Wanted } from '../../findContacts';
import { assertAddressed } from '../messageText';
import { readMessage, type PrepareFor } from '../templateMessage';
import { campaignFields, readCampaignSettings, type CampaignItem } from './campaignFields';
import { campaignOutput, errorOf, summarizeCampaign, type CampaignOutcome } from './campaignOutput';
import { sendToAll, type Sending } from './sendToAll';
import { skipOf, type Skip } from './skip';

export const sendCampaign = defineBulkOperation({
	value: 'sendCampaign',
	name: 'Send Campaign',
	action: 'Send campaign to many contacts',
	description:
		'Send an approved template to each input contact that has confirmed. Running it again sends nothing twice.',
	hints: [
		{
			message:
				"Execute step sends real messages to all contacts of the input, and gives each an attribute that remembers it. To see first who would get one, turn on 'Dry Run' under 'Options'.",
			when: '!$parameter["options"]?.["dryRun"]',
		},
		{
			message:
				'To finish a campaign that was interrupted, run it again with the same Campaign Key: contacts that got the message, or may have got it, are skipped.',
		},
	],
	effect: 'once',
	forAgents: false,
	fields: campaignFields,

	async executeAll(api, items, run) {
		const settings = readCampaignSettings(items);
		const { isDryRun } = settings;
		const campaign = new Campaign(items.length, run);
		const recipients = campaign.read(api, items);
		assertNotTooMany(recipients.length, settings.maxRecipients);
		// Who has to correct the input does so before anything is sent.
		if (campaign.hasFailures && !run.continues && !isDryRun) {
			return campaign.end(api, isDryRun, 'No message was sent.');
		}
		const wanted = recipients.map((recipient) => recipient.wanted);
		const found = await findContacts(api, wanted).catch(asNothingSent);
		const sendings = campaign.choose(recipients, found, run);
		if (isDryRun) await preview(sendings);
		else await sendToAll(api, sendings, settings, run);
		return campaign.end(api, isDryRun);
	},
});

/** An input item whose fields can be used, and the first of its contact. */
interface Recipient {
	item: number;
	key: string;
	wanted: Wanted;
	prepareFor: PrepareFor;
}

/** Also of earlier tries of the same run (Retry On Fail); they go with the execution. */
const outcomesOfRuns = new WeakMap<object, CampaignOutcome[]>();

const notSentYet = (): CampaignOutcome => ({ contact: {}, result: { status: 'notSent' } });

/** Then another try leaves the item as it is. */
const mayBeSent = ({ result }: CampaignOutcome) => ['sent', 'unclear'].includes(result.status);

/** What a run knows of the input items, by their indexes. */
class Campaign {
	/** Until something else comes of an item, others have to be corrected first. */
	private readonly outcomes: CampaignOutcome[];
	private readonly itemOf = new Map<string, number>();

	constructor(count: number, { key }: Run) {
		const earlier = outcomesOfRuns.get(key) ?? [];
		this.outcomes = Array.from({ length: count }, (_, item) => {
			const outcome = earlier[item];
			if (outcome && mayBeSent(outcome)) return outcome;
			return notSentYet();
		});
		outcomesOfRuns.set(key, this.outcomes);
		for (const [item, { contact }] of this.outcomes.entries()) this.isFirstWith(item, contact);
	}

	get hasFailures(): boolean {
		return this.outcomes.some(({ result }) => result.status === 'failed');
	}

	/** Reads the input, which takes no request. */
	read(api: Api, items: readonly CampaignItem[]): Recipient[] {
		return items.flatMap((each, item) => {
			if (mayBeSent(this.outcomeOf(item))) return [];
			try {
				if (!('params' in each)) throw each.problem;
				const { contactId, campaignKey, options } = each.params;
				const key = readCampaignKey(campaignKey);
				this.outcomeOf(item).key = key;
				const wanted = wantedOf({ contactId, defaultCountry: options.defaultCountry ?? '' });
				const prepareFor = readMessage(api, each.params);
				return this.isFirst(item, `named ${wanted.key}`) ? [{ item, key, wanted, prepareFor }] : [];
			} catch (error) {
				this.outcomeOf(item).result = { status: 'failed', error };
				return [];
			}
		});
	}

	/** Leaves out contacts that the message cannot reach, or has reached. */
	choose(recipients: readonly Recipient[], found: ReadonlyMap<string, Found>, run: Run): Sending[] {
		return recipients.flatMap(({ item, key, wanted, prepareFor }) => {
			const outcome = this.outcomeOf(item);
			const contact = found.get(wanted.key) ?? NO_CONTACT;
			if (contact instanceof Error) outcome.result = { status: 'failed', error: contact };
			else if ('status' in contact) outcome.result = contact;
			else {
				outcome.contact = contact;
				if (!this.isFirstWith(item, contact)) return [];
				const skip = skipOf(contact, key, run);
				if (!skip) return [{ item, key, contact, prepareFor, outcome }];
				outcome.result = skip;
			}
			return [];
		});
	}

	end(api: Api, isDryRun: boolean, headline = ''): BulkResult {
		const summary = summarizeCampaign(this.outcomes, api.usage, isDryRun);
		return {
			outcomes: this.outcomes.map((outcome) => {
				const json = campaignOutput(outcome);
				const { result } = outcome;
				// In a dry run nothing fails: what a run would fail with is part of the preview.
				return 'error' in result && !isDryRun ? { json, error: errorOf(result) } : { json };
			}),
			more: [],
			summary: `${headline} ${summary}`.trim(),
		};
	}

	private outcomeOf(item: number): CampaignOutcome {
		return (this.outcomes[item] ??= notSentYet());
	}

	/** Whatever the items name a contact by. */
	private isFirstWith(item: number, { id = '', phone = '' }: Partial<FoundContact>): boolean {
		const known = { id: id.toLowerCase(), phone: phoneDigits(phone) };
		return Object.entries(known).every(
			([name, text]) => text === '' || this.isFirst(item, `${name} ${text}`),
		);
	}

	/** Skips an item whose contact an earlier item is about. */
	private isFirst(item: number, contactKey: string): boolean {
		const first = this.itemOf.get(contactKey) ?? item;
		this.itemOf.set(contactKey, first);
		if (first === item) return true;
		const reason = `Item ${first + 1} is the same contact, or has the same phone number. See there what came of it.`;
		this.outcomeOf(item).result = { status: 'skipped', code: 'duplicate', reason };
		return false;
	}
}

const NO_CONTACT: Skip = {
	status: 'skipped',
	code: 'noContact',
	reason: 'There is no such contact in this workspace.',
};

async function preview(sendings: readonly Sending[]): Promise<void> {
	for (const { contact, prepareFor, outcome } of sendings) {
		try {
			assertAddressed(await prepareFor(contact));
			outcome.result = { status: 'wouldSend' };
		} catch (error) {
			outcome.result = { status: 'failed', error };
		}
	}
}

function assertNotTooMany(count: number, maxRecipients: number): void {
	if (count <= maxRecipients) return;
	throw new InputProblem(
		`The input has ${count} contacts, more than 'Max Recipients' allows (${maxRecipients})`,
		"No message was sent. If all of them are meant, raise 'Max Recipients' under 'Options'.",
	);
}

function asNothingSent(error: unknown): never {
	throw error instanceof CrmError ? error.withContext('No message was sent.') : error;
}
