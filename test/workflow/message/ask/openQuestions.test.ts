import type { INodeParameters } from 'n8n-workflow';

import { runNode } from '../../../../tools/engine/runNode';
import { delay } from '../../../../tools/support/platform';
import { hashContactId } from '../../../../nodes/WorkspaceCrm/events/waitUrl';
import {
	addContact,
	chosen,
	contactId,
	passingClock,
	patientRuntime,
	useSandbox,
} from '../../support';
import { WaitingNode } from './waitingNode';

/** When a contact may be asked again, and what becomes of the subscriptions of earlier questions. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const otherKey = 'another-key';
const elsewhere = useSandbox({ apiKey: otherKey, workspace: { id: 'w2', name: 'W' } });
beforeEach(() => void addContact(sandbox, { id: contactId }));

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const parameters: INodeParameters = {
	resource: 'message',
	operation: 'sendAndWait',
	contactId: chosen('id', contactId),
	template: chosen('name', 'question'),
	options: { variables: { values: [{ name: 'question', value: 'May we?' }] } },
};

const idsOf = ({ store }: typeof sandbox) => [...store.subscriptions.keys()];
const messages = () => sandbox.store.sentMessages;
const deletion = { method: 'DELETE', path: /subscriptions/ };
const reply = () => ({
	...{ id: 'evt', event: 'message.received', created_at: sandbox.store.nowIso() },
	data: { contact: { id: contactId }, message: { type: 'text', text: 'Yes' } },
});

/** A process of n8n whose clock moves only when something sleeps. */
function startProcess() {
	const { runtime, clock } = patientRuntime();
	let executions = 0;
	const ask = async () => {
		const executionId = String((executions += 1));
		return await runNode(sandbox, { parameters, runtime, executionId });
	};
	return { runtime, clock, ask };
}

describe('the time of a question is up', () => {
	test.each([-MINUTE_MS, -700, 0, 1, 700, 60_000, 5 * MINUTE_MS])(
		'asked every day with the limit of a day, never answered: asked every day (%i ms later)',
		async (laterMs) => {
			const { clock, ask } = startProcess();
			for (let day = 1; day <= 4; day += 1) {
				const startMs = clock.now();
				const { run, error } = await ask();
				expect([day, error?.message, messages().length]).toEqual([day, undefined, day]);
				expect(run.waitTill?.getTime()).toBe(startMs + DAY_MS);
				// Nothing waits for the end of the question before.
				expect(clock.now()).toBe(startMs);
				expect(idsOf(sandbox)).toHaveLength(1);
				await clock.sleep(startMs + DAY_MS + laterMs - clock.now());
			}
		},
	);

	test.each([
		['in a minute: it counts as over', MINUTE_MS, false],
		['in more than a minute', MINUTE_MS + 1, true],
	])('%s', async (_, leftMs, isRefused) => {
		const { clock, ask } = startProcess();
		await ask();
		await clock.sleep(DAY_MS - leftMs);
		const { error } = await ask();
		expect(error?.message).toBe(
			isRefused ? 'This contact may still have an open question' : undefined,
		);
		expect([messages().length, idsOf(sandbox).length]).toEqual([isRefused ? 1 : 2, 1]);
	});

	test.each([
		['a minute', MINUTE_MS, true],
		['eleven minutes', 11 * MINUTE_MS, false],
	])('in another n8n, since %s', async (_, sinceMs, isRefused) => {
		const { clock, ask } = startProcess();
		const until = `crm_until=${clock.now() - sinceMs}`;
		const contact = `crm_contact=${hashContactId(contactId)}`;
		const url = `https://other.example.com/webhook-waiting/7/ask?${contact}&${until}`;
		const created_at = sandbox.store.nowIso();
		const theirs = { id: 'theirs', url, events: ['message.received' as const], secret: 'x' };
		sandbox.store.subscriptions.set('theirs', { ...theirs, active: true, created_at });
		const { error } = await ask();
		expect(error === undefined).toBe(!isRefused);
		expect(idsOf(sandbox)).toContain('theirs');
	});
});

test('an answered question whose subscription could not be deleted: it is deleted when the contact is asked again', async () => {
	const { runtime, ask } = startProcess();
	const { run } = await ask();
	// The background sleeps until its next try.
	const background = { ...runtime, clock: passingClock() };
	const waiting = new WaitingNode(sandbox, parameters, run, background);
	const [answered] = sandbox.store.subscriptions.values();
	sandbox.fail({ match: deletion, times: Infinity, kind: { status: 503 } });
	expect(await waiting.deliver(answered, reply())).toMatchObject([{ replied: true }]);
	while (waiting.log.length === 0) await delay(5);
	// The service still refuses: no reason not to ask.
	expect((await ask()).error).toBeUndefined();
	expect(idsOf(sandbox)).toContain(answered.id);
	sandbox.store.subscriptions.delete(idsOf(sandbox)[1]);
	sandbox.clearFaults();
	expect((await ask()).error).toBeUndefined();
	expect(idsOf(sandbox)).toEqual([expect.not.stringMatching(answered.id)]);
});

test('the credential gets the key of another workspace while a question is open: its subscription stays, and the log says what to do', async () => {
	const { runtime, ask } = startProcess();
	const { run } = await ask();
	const [answered] = sandbox.store.subscriptions.values();
	const waiting = new WaitingNode(elsewhere, parameters, run, runtime);
	elsewhere.requests.length = 0;
	expect(await waiting.deliver(answered, reply())).toMatchObject([{ replied: true }]);
	while (waiting.log.length === 0) await delay(5);
	expect(waiting.log).toEqual([
		expect.stringMatching(
			`${answered.id} of the answered execution .+ was not deleted, because .+ another workspace.* delete it with Subscription > Delete`,
		),
	]);
	expect(elsewhere.requests.map(({ method }) => method)).toEqual(['GET']);
	expect(idsOf(sandbox)).toEqual([answered.id]);
});

test('the key is rotated while a question is open: its subscription is deleted', async () => {
	const { runtime, ask } = startProcess();
	const { run } = await ask();
	const [answered] = sandbox.store.subscriptions.values();
	sandbox.rotateKey('the-rotated-key');
	const rotated = { ...sandbox, url: sandbox.url, apiKey: 'the-rotated-key' } as typeof sandbox;
	const waiting = new WaitingNode(rotated, parameters, run, runtime);
	expect(await waiting.deliver(answered, reply())).toMatchObject([{ replied: true }]);
	while (idsOf(sandbox).length > 0) await delay(5);
	expect(waiting.log).toEqual([]);
});
