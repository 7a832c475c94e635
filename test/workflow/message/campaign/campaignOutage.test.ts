import type { INode } from 'n8n-workflow';

import type { Contact } from '../../../../tools/sandbox';
import { nodeLogger } from '../../../support/nodeLogger';
import { delay } from '../../../../tools/support/platform';
import { marksOf, messagesTo, validMarksOf } from '../../marks';
import { campaign, runCampaign } from './campaignNode';
import { startNode } from '../../../../tools/engine/runNode';
import { Door, processInTime, processWithDoor } from '../../shutDoor';
import { addContact, addContacts, useSandbox } from '../../support';

/**
 * A marked contact gets the message or loses the mark in the same run, judged by the service's records and by
 * what a second run sends.
 */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const door = new Door(sandbox);
beforeEach(async () => await door.open());
afterAll(() => door.shut());

const MINUTE_MS = 60_000;
const send = { method: 'POST', path: '/v1/messages/template' };
const mark = { method: 'PATCH', path: '/v1/contacts/' };
const people = (count: number) => addContacts(sandbox, count, { opt_in_status: 'confirmed' });
const refusal = (seconds: number) => ({
	status: 429,
	headers: { 'retry-after': String(seconds) },
});

const markedAndUnsent = (contacts: readonly Contact[]) =>
	contacts
		.filter((each) => validMarksOf(sandbox, each).length > 0 && messagesTo(sandbox, each) === 0)
		.map(({ id }) => id);
const messages = (contacts: readonly Contact[]) =>
	contacts.map((each) => messagesTo(sandbox, each));
const once = (contacts: readonly Contact[]) => contacts.map(() => 1);

/** The door is shut as a request is answered, and open again after a while. */
function outage(match: object, skip: number, minutes: number) {
	sandbox.fail({ match, skip, kind: { meanwhile: () => door.shut() } });
	return {
		runtime: processWithDoor(door, minutes * MINUTE_MS),
		credential: { baseUrl: door.url },
	};
}

describe('no contact stays marked without a message after an outage or refusal', () => {
	test.each([1, 4, 9])('the service cannot be reached for %i minutes', async (minutes) => {
		const contacts = people(8);
		await runCampaign(sandbox, contacts, outage(mark, 2, minutes));
		expect(markedAndUnsent(contacts)).toEqual([]);
		await door.open();
		sandbox.clearFaults();
		await runCampaign(sandbox, contacts);
		expect(messages(contacts)).toEqual(once(contacts));
	});

	test.each([4, 20, 55])('the service refuses messages for %i minutes', async (minutes) => {
		const contacts = people(8);
		sandbox.fail({ match: send, skip: 2, times: 5, kind: refusal(minutes * 60) });
		sandbox.fail({ match: mark, skip: 8, times: 5, kind: refusal(minutes * 60) });
		await runCampaign(sandbox, contacts, { runtime: processInTime() });
		expect(markedAndUnsent(contacts)).toEqual([]);
		sandbox.clearFaults();
		await runCampaign(sandbox, contacts);
		expect(messages(contacts)).toEqual(once(contacts));
	});

	test.each([
		{ status: 500 },
		{ status: 503, afterEffect: true },
		{ drop: 'beforeEffect' },
	] as const)('a refused message, and a mark that cannot be revoked at first: %j', async (kind) => {
		const [contact] = people(1);
		sandbox.fail({ match: send, kind: { status: 422 } });
		sandbox.fail({ match: mark, skip: 1, times: 15, kind });
		await runCampaign(sandbox, [contact], { runtime: processInTime() });
		expect(validMarksOf(sandbox, contact)).toEqual([]);
		sandbox.clearFaults();
		const { results } = await runCampaign(sandbox, [contact]);
		expect(results).toEqual(['sent']);
	});
});

describe('if waiting does not help, the output says how to remove the mark, and that works', () => {
	const longer = () => outage(mark, 0, 24 * 60);
	const revoked = () => {
		sandbox.fail({ match: send, kind: { status: 401 } });
		sandbox.fail({ match: mark, skip: 1, times: 99, kind: { status: 401 } });
		return { runtime: processInTime() };
	};

	test.each([
		['an outage that does not end', longer],
		['a key that is revoked', revoked],
	])('%s', async (_name, prepare) => {
		const contacts = people(6);
		const { texts, results, hints } = await runCampaign(sandbox, contacts, prepare());
		await door.open();
		sandbox.clearFaults();
		const left = markedAndUnsent(contacts);
		expect(left.length).toBeGreaterThan(0);
		expect(left.length).toBeLessThanOrEqual(5);
		expect(results).not.toContain('sent');
		for (const [index, contact] of contacts.entries()) {
			const [attribute] = /sent:spring:[0-9a-f]{8}/.exec(texts[index]) ?? [];
			expect(attribute !== undefined).toBe(left.includes(contact.id));
			if (attribute === undefined) continue;
			expect(hints.join(' ')).toContain(contact.id);
			contact.attributes[attribute] = '';
		}
		const { results: again } = await runCampaign(sandbox, contacts, { executionId: '2' });
		expect(again).toEqual(contacts.map(() => 'sent'));
	});

	test('an endless outage is waited out once, and not per contact', async () => {
		const contacts = people(60);
		const run = outage(mark, 0, 24 * 60);
		const startMs = run.runtime.clock.elapsedMs();
		const { codes } = await runCampaign(sandbox, contacts, run);
		expect(codes.slice(25)).toEqual(contacts.slice(25).map(() => 'campaignEnded'));
		expect(run.runtime.clock.elapsedMs() - startMs).toBeLessThan(30 * MINUTE_MS);
	});
});

const settings: Partial<INode> = { retryOnFail: true, maxTries: 3, waitBetweenTries: 5 };

test('Retry On Fail of a campaign reaches all but the contact whose mark could not be removed', async () => {
	const contacts = people(8);
	sandbox.fail({ match: send, kind: { status: 422 } });
	sandbox.fail({ match: mark, skip: 1, kind: { status: 400 } });
	const run = { settings, onError: undefined, runtime: processInTime() };
	const { error } = await runCampaign(sandbox, contacts, run);
	expect(error?.description).toContain('8 items: 7 sent, 1 failed.');
	expect(messages(contacts)).toEqual([0, 1, 1, 1, 1, 1, 1, 1]);
});

test('Retry On Fail sends nothing to a second contact of a person that the first try has reached', async () => {
	// More pages than look-ups, so the next try does not see the contact that the first has reached.
	addContacts(sandbox, 500, { created_at: '2024-01-01T00:00:00Z' });
	const pair = ['+12125550123', '0012125550123'].map((phone) =>
		addContact(sandbox, { opt_in_status: 'confirmed', phone }),
	);
	const failing = addContact(sandbox, { opt_in_status: 'confirmed', phone: '+12125550987' });
	const contacts = [...pair, failing];
	sandbox.fail({ match: send, skip: 1, kind: { status: 422 } });
	const run = { settings, onError: undefined, runtime: processInTime() };
	const { error } = await runCampaign(sandbox, contacts, run);
	expect(error).toBeUndefined();
	expect(messages(contacts)).toEqual([1, 0, 1]);
});

test.each([undefined, 'continueErrorOutput'] as const)(
	'Retry On Fail keeps the results of the first try if the contacts cannot be read again (On Error: %s)',
	async (onError) => {
		const contacts = people(8);
		sandbox.fail({ match: send, times: 2, kind: { status: 422 } });
		const list = { method: 'GET', path: '/v1/contacts' };
		sandbox.fail({ match: list, skip: 1, times: 20, kind: { status: 500 } });
		const run = { settings: { ...settings, maxTries: 2 }, onError, runtime: processInTime() };
		const { error, results, hints } = await runCampaign(sandbox, contacts, run);
		expect(messages(contacts)).toEqual([0, 0, 1, 1, 1, 1, 1, 1]);
		const told = `${error?.description} ${hints.join(' ')}`;
		expect(told).toContain('8 items: 6 sent, 2 failed.');
		expect(told).not.toContain('No message was sent');
		if (onError) expect(results.filter((result) => result === 'sent')).toHaveLength(6);
	},
);

test('contacts that cannot be read: the error says that no message was sent', async () => {
	const contacts = people(3);
	const list = { method: 'GET', path: '/v1/contacts' };
	sandbox.fail({ match: list, times: 20, kind: { status: 500 } });
	const { error } = await runCampaign(sandbox, contacts, { onError: undefined });
	expect(error?.description).toContain('No message was sent.');
	expect(messages(contacts)).toEqual([0, 0, 0]);
});

describe('Stop', () => {
	/** Each wait also takes a moment of real time. */
	const slowProcess = () => processInTime(async () => await delay(1));
	const start = (contacts: readonly Contact[], runtime = slowProcess()) =>
		startNode(sandbox, {
			parameters: campaign(),
			items: contacts.map(({ id }) => ({ id })),
			runtime,
		});
	const sends = () => sandbox.requests.filter(({ method }) => method === 'POST').length;
	const marks = () => sandbox.requests.filter(({ method }) => method === 'PATCH').length;

	test.each([
		['answers to marks are due', mark, 3, { delayMs: 300 }, marks],
		['answers to messages are due', send, 3, { delayMs: 300 }, sends],
		['refused messages wait', send, 3, refusal(30), sends],
	] as const)(
		'while %s: marked contacts get their message',
		async (_name, match, skip, kind, count) => {
			const contacts = people(30);
			sandbox.fail({ match, skip, times: 5, kind });
			const execution = start(contacts);
			while (count() < skip + 5) await delay(1);
			const begun = contacts.filter((each) => validMarksOf(sandbox, each).length > 0).length;
			execution.cancel();
			expect((await execution).status).toBe('canceled');
			expect(markedAndUnsent(contacts)).toEqual([]);
			const reached = messages(contacts).filter((each) => each > 0).length;
			expect(reached).toBeGreaterThanOrEqual(skip);
			expect(reached).toBeLessThanOrEqual(begun);
			await runCampaign(sandbox, contacts);
			expect(messages(contacts)).toEqual(once(contacts));
		},
	);

	test("while the person's other contact is looked at: the mark is revoked", async () => {
		const contacts = ['+12125550123', '0012125550123'].map((phone) =>
			addContact(sandbox, { opt_in_status: 'confirmed', phone }),
		);
		const execution = start(contacts);
		const meanwhile = () => void execution.cancel();
		const match = { method: 'GET', path: contacts[1].id };
		sandbox.fail({ match, kind: { meanwhile, delayMs: 300 } });
		expect((await execution).status).toBe('canceled');
		expect(marksOf(sandbox, contacts[0])).toEqual([expect.stringMatching(/^refused /)]);
		expect(messages(contacts)).toEqual([0, 0]);
	});

	test('the log names what could not be finished within a minute', async () => {
		const contacts = people(30);
		const warn = jest.spyOn(nodeLogger(), 'warn');
		sandbox.fail({ match: send, skip: 6, times: 99, kind: refusal(3_000) });
		sandbox.fail({ match: mark, skip: 11, times: 99, kind: refusal(3_000) });
		const runtime = slowProcess();
		const { clock } = runtime;
		// By the clock of the waits, which is not real time.
		clock.signalAfter = (delayMs) => {
			const controller = new AbortController();
			const untilMs = clock.elapsedMs() + delayMs;
			const look = async () => {
				while (clock.elapsedMs() < untilMs) await delay(1, undefined, { ref: false });
				controller.abort();
			};
			void look();
			return controller.signal;
		};
		const execution = start(contacts, runtime);
		while (sends() < 7) await delay(1);
		await delay(20);
		const stoppedMs = clock.elapsedMs();
		execution.cancel();
		await execution;
		await delay(50);
		expect(clock.elapsedMs() - stoppedMs).toBeLessThan(5 * MINUTE_MS);
		const log = warn.mock.calls.join('\n');
		const left = markedAndUnsent(contacts);
		expect(left.length).toBeGreaterThan(0);
		expect(left.length).toBeLessThanOrEqual(5);
		for (const id of left) expect(log).toContain(id);
		warn.mockRestore();
	});
});
