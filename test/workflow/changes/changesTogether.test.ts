import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { Contact } from '../../../tools/sandbox';
import { PollHost, unlimitedRuntime } from './pollHost';
import { deliver, eventBody } from '../signedDelivery';
import { addContacts } from '../support';
import { startTrigger, stopTriggers } from '../triggerSetup';

/**
 * Two Changes Triggers and an event trigger in one workflow, whose static data n8n saves whole: nothing is
 * repeated, nothing is lost, and the newest signing secret holds, whoever was the last to save.
 */
afterEach(async () => await stopTriggers());

const STEPS = [
	'rename',
	'consent',
	'pollNames',
	'pollConsents',
	'message',
	'subscribeAnew',
	'publishConsents',
	'restart',
] as const;
type Step = (typeof STEPS)[number];

const STATUSES: Array<Contact['opt_in_status']> = ['pending', 'confirmed', 'opted_out', 'none'];

async function startWorkflow() {
	const setup = await startTrigger();
	const { sandbox, host: trigger } = setup;
	const [person] = addContacts(sandbox, 3);
	const runtime = unlimitedRuntime();
	const names = new PollHost(sandbox, {
		parameters: { watch: 'all', events: ['updated'], fields: ['name'] },
		runtime,
	});
	const consents = new PollHost(sandbox, {
		parameters: { watch: 'all', events: ['consentChanged'] },
		runtime,
		identity: { nodeId: 'consents', nodeName: 'Consents' },
		besides: names,
	});
	trigger.stored = {
		manual: '{}',
		get webhook() {
			return names.stored;
		},
		set webhook(staticData) {
			names.stored = staticData;
		},
	};
	trigger.known = names.process.known;
	await trigger.publish();
	await names.publish();
	await consents.publish();
	return { setup, trigger, person, names, consents };
}

async function live(steps: readonly Step[]): Promise<void> {
	const { setup, trigger, person, names, consents } = await startWorkflow();
	const expected = { names: [] as string[], consents: [] as object[], messages: [] as string[] };
	let seen = { name: person.name, consent: person.opt_in_status };
	let count = 0;
	const expectName = () => {
		if (person.name !== seen.name) expected.names.push(String(person.name));
		seen = { ...seen, name: person.name };
	};
	const expectConsent = () => {
		const change = { from: seen.consent, to: person.opt_in_status };
		if (change.from !== change.to) expected.consents.push(change);
		seen = { ...seen, consent: person.opt_in_status };
	};
	const act: Record<Step, () => Promise<void> | void> = {
		rename: () => {
			person.name = `Name ${(count += 1)}`;
		},
		consent: () => {
			person.opt_in_status = STATUSES[(count += 1) % STATUSES.length];
		},
		pollNames: async () => {
			await names.poll();
			expectName();
		},
		pollConsents: async () => {
			await consents.poll();
			expectConsent();
		},
		message: async () => {
			const text = `Message ${(count += 1)}`;
			const body = eventBody('message.received', { contact: person, message: { text } });
			// As the service does if the first answer is lost.
			for (const headers of [{}, {}]) {
				expect(await deliver(setup, { body, headers })).toMatchObject({ status: 200 });
			}
			expected.messages.push(text);
		},
		subscribeAnew: async () => {
			const isWide = (trigger.options.parameters.events as string[]).length > 1;
			trigger.options.parameters = {
				events: isWide ? ['message.received'] : ['message.received', 'tag.added'],
			};
			await trigger.publish();
		},
		publishConsents: async () => {
			await consents.publish('update');
			expectConsent();
		},
		restart: async () => {
			await names.restart();
			trigger.restart();
			trigger.known = names.process.known;
			await consents.publish('init');
			expectName();
			expectConsent();
		},
	};
	const end: Step[] = ['pollNames', 'pollConsents', 'message', 'restart', 'message'];
	for (const each of [...steps, ...end]) await act[each]();

	expect(names.events.map(({ contact }) => (contact as IDataObject).name)).toEqual(expected.names);
	expect(consents.events.map(({ changed }) => (changed as IDataObject).opt_in_status)).toEqual(
		expected.consents,
	);
	expect(trigger.started.map(([{ json }]) => json.chatInput)).toEqual(expected.messages);
	expect([names.errors, consents.errors, trigger.failedExecutions]).toEqual([[], [], []]);
	expect(JSON.parse(names.stored)).toMatchObject({
		'node:Changes': {},
		'node:Consents': {},
		'node:Trigger': {},
	});
	await stopTriggers();
}

test('no event is repeated or lost, and the newest secret is kept', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(fc.constantFrom(...STEPS), { minLength: 5, maxLength: 40 }), live),
		// A poll saves the static data that it loaded before the trigger subscribed again.
		{ numRuns: 10, examples: [[['subscribeAnew', 'rename']]] },
	);
});
