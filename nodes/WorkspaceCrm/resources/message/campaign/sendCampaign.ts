import type { Api } from '../../../api/client';
import { CrmError } from '../../../api/crmError';
import { readCampaignKey } from '../../../domain/campaignMark';
import { phoneDigits } from '../../../domain/phone';
import { InputProblem } from '../../../domain/problem';
import { defineBulkOperation, type BulkResult } from '../../../operations/define';
import type { FoundContact } from '../../contactReference';
import { assertAddressed } from '../messageText';
import { readMessage, type PrepareFor } from '../templateMessage';
import { campaignFields, readCampaignSettings, type CampaignItem } from './campaignFields';
import { summarizeCampaign, toOutcome, type CampaignResult } from './campaignOutput';
import { findContacts, wantedOf, type Found, type Wanted } from '../../findContacts';
import type { SendResult } from './sendOnce';
import { skipOf } from './skip';
import { endSoFar, resultsSoFar, sendToAll, type Sending } from './sendToAll';

export const sendCampaign = defineBulkOperation({
	value: 'sendCampaign',
	name: 'Send Campaign',
	action: 'Send campaign to many contacts',
	description:
		'Send an approved template to each input contact that has confirmed. Running it again sends nothing twice.',
	hints: [
		{
			message:
				"Execute step sends real messages to all contacts of the input. To see first who would get one, turn on 'Dry Run' under 'Options'.",
			when: '!$parameter["options"]?.["dryRun"]',
		},
		{
			message:
				'To finish a campaign that was interrupted, run it again with the same Campaign Key: who got the message, or may have got it, is skipped.',
		},
	],
	effect: 'once',
	forAgents: false,
	fields: campaignFields,

	async executeAll(api, items, run) {
		const settings = readCampaignSettings(items);
		const campaign = new Campaign(items.length);
		const recipients = campaign.read(api, items);
		assertNotTooMany(recipients.length, settings.maxRecipients);
		// Who has to correct the input does so before anything is sent.
		if (campaign.hasFailures && !run.continues && !settings.isDryRun) {
			return campaign.end(api, settings.isDryRun, 'No message was sent.');
		}
		const wanted = recipients.map((recipient) => recipient.wanted);
		const found = await findContacts(api, wanted).catch(asNothingSent);
		const sendings = campaign.choose(recipients, found, resultsSoFar(run.key));
		if (settings.isDryRun) await campaign.preview(sendings);
		else await sendToAll(api, sendings, settings, run, campaign.results);
		return campaign.end(api, settings.isDryRun);
	},
});

/** An input item whose fields can be used, and the first of its contact. */
interface Recipient {
	item: number;
	key: string;
	wanted: Wanted;
	prepareFor: PrepareFor;
}

/** What a run knows of the input items, by their indexes. */
class Campaign {
	readonly results: CampaignResult[] = [];
	private readonly contacts: FoundContact[] = [];
	private readonly itemOf = new Map<string, number>();
	private key?: string;

	constructor(private readonly count: number) {}

	get hasFailures(): boolean {
		return this.results.some((result) => result && 'error' in result);
	}

	/** Reads the input, which takes no request. */
	read(api: Api, items: readonly CampaignItem[]): Recipient[] {
		return items.flatMap((each, item) => {
			try {
				if (!('params' in each)) throw each.problem;
				const { params } = each;
				const { defaultCountry = '' } = params.options;
				this.key = readCampaignKey(params.campaignKey);
				const wanted = wantedOf({ contactId: params.contactId, defaultCountry });
				const prepareFor = readMessage(api, params);
				if (this.isDuplicate(item, `named ${wanted.key}`)) return [];
				return [{ item, key: this.key, wanted, prepareFor }];
			} catch (error) {
				this.results[item] = { status: 'failed', error };
				return [];
			}
		});
	}

	/** Leaves out whom the message cannot reach, or has reached. */
	choose(
		recipients: readonly Recipient[],
		found: ReadonlyMap<string, Found>,
		sofar: ReadonlyMap<string, SendResult>,
	): Sending[] {
		return recipients.flatMap(({ item, key, wanted, prepareFor }) => {
			const contact = found.get(wanted.key);
			if (contact instanceof Error) this.results[item] = { status: 'failed', error: contact };
			else if (contact === undefined) this.results[item] = NO_CONTACT;
			if (contact === undefined || contact instanceof Error) return [];
			this.contacts[item] = contact;
			// By another way to name it, such as its phone.
			if (this.isDuplicate(item, `found ${contact.id.toLowerCase()}`)) return [];
			const digits = phoneDigits(contact.phone);
			if (digits !== '' && this.isDuplicate(item, `phone ${digits}`)) return [];
			const skip = skipOf(contact, key);
			const earlier = endSoFar(sofar.get(`${key} ${contact.id}`), skip);
			const result = earlier ?? (skip && { status: 'skipped', ...skip });
			if (!result) return [{ item, key, contact, prepareFor }];
			this.results[item] = result;
			return [];
		});
	}

	async preview(sendings: readonly Sending[]): Promise<void> {
		for (const { item, contact, prepareFor } of sendings) {
			this.results[item] = await prepareFor(contact)
				.then(assertAddressed)
				.then(
					() => ({ status: 'wouldSend' }),
					(error: unknown) => ({ status: 'failed', error }),
				);
		}
	}

	end(api: Api, isDryRun: boolean, headline = ''): BulkResult {
		const results = Array.from({ length: this.count }, (_, item) => this.results[item] ?? NOT_SENT);
		const summary = summarizeCampaign(results, api.usage, isDryRun);
		return {
			outcomes: results.map((result, item) =>
				toOutcome(this.contacts[item] ?? {}, this.key, result, isDryRun),
			),
			more: [],
			summary: `${headline} ${summary}`.trim(),
		};
	}

	/** Whether an earlier item is about the same contact. */
	private isDuplicate(item: number, contactKey: string): boolean {
		const first = this.itemOf.get(contactKey) ?? item;
		this.itemOf.set(contactKey, first);
		if (first === item) return false;
		const reason = `Item ${first + 1} is the same contact, or has the same phone number. See there what came of it.`;
		this.results[item] = { status: 'skipped', code: 'duplicate', reason };
		return true;
	}
}

const NO_CONTACT: CampaignResult = {
	status: 'skipped',
	code: 'noContact',
	reason: 'There is no such contact in this workspace.',
};

/** Other items have to be corrected first. */
const NOT_SENT: CampaignResult = { status: 'notSent' };

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
