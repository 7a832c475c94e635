import type { INodeParameters } from 'n8n-workflow';

import { hashContactId } from '../../nodes/WorkspaceCrm/webhooks/waitUrl';
import { delay } from '../support/platform';
import { runNode } from './runNode';
import {
	addContact,
	chosen,
	contactId,
	patientRuntime,
	sentLines,
	textsIn,
	useSandbox,
} from './support';
import { PUBLIC_ORIGIN } from './triggerHost';
import { startTrigger, stopTriggers } from './triggerSetup';
import { WaitingNode } from './waitingNode';

/** What Send Template and Wait for Response asks of the service, and leaves behind. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });

afterAll(async () => await stopTriggers());
beforeEach(() => void addContact(sandbox, { id: contactId }));

const question = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'message',
	operation: 'sendAndWait',
	contactId: chosen('id', contactId),
	template: chosen('name', 'question'),
	options: { variables: { values: [{ name: 'question', value: 'May we?' }] } },
	...more,
});

const ask = async (more: INodeParameters = {}) =>
	await runNode(sandbox, { parameters: question(more), runtime: patientRuntime().runtime });
const subscriptions = () => [...sandbox.store.subscriptions.values()];
const messages = () => sandbox.store.sentMessages;

/** A subscription as a wait of this n8n leaves it, if its time was over so long ago. */
function leaveWait(
	id: string,
	overSinceMinutes: number,
	origin = PUBLIC_ORIGIN,
	contactKey = 'another',
): void {
	const until = `crm_until=${Date.now() - overSinceMinutes * 60_000}`;
	const url = `${origin}/webhook-waiting/7/ask?crm_contact=${contactKey}&${until}&signature=aaaa`;
	const events = ['message.received' as const];
	const created_at = sandbox.store.nowIso();
	sandbox.store.subscriptions.set(id, { id, url, events, secret: 'x', active: true, created_at });
}

test('asks with four requests, and waits', async () => {
	const { run, error } = await ask();
	expect(error).toBeUndefined();
	expect(run.waitTill).toBeInstanceOf(Date);
	expect(sentLines(sandbox)).toEqual([
		'GET /v1/subscriptions',
		'POST /v1/subscriptions',
		'GET /v1/subscriptions',
		'POST /v1/messages/template',
	]);
	expect(messages()).toMatchObject([{ variables: { question: 'May we?' } }]);
	const [{ url, secret, events }] = subscriptions();
	expect(events).toEqual(['message.received']);
	const signature = String(new URL(url).searchParams.get('signature'));
	const texts = textsIn(run);
	expect(texts.filter((text) => text.includes(secret) || text.includes(signature))).toEqual([]);
});

test('the wait lasts a minute at least, even if the rate limit used up its time', async () => {
	sandbox.fail({
		match: { path: /messages/ },
		kind: { status: 429, headers: { 'retry-after': '59' } },
	});
	const { runtime, clock } = patientRuntime();
	const parameters = question({ limitType: 'afterTimeInterval', resumeUnit: 'minutes' });
	const { run } = await runNode(sandbox, { parameters, runtime });
	expect(messages()).toHaveLength(1);
	expect(Number(run.waitTill) - clock.now()).toBe(60_000);
});

describe('an execution that waits', () => {
	const wait = async () => new WaitingNode(sandbox, question(), (await ask()).run);
	const reply = (created_at: string, id = contactId) => ({
		id: 'evt',
		event: 'message.received',
		created_at,
		data: { contact: { id }, message: { type: 'text', text: 'Yes' } },
	});

	test('takes silence for no reply and no approval', async () => {
		const [output, ...others] = await (await wait()).timeOut();
		expect(output).toMatchObject({ reply: null, replied: false, timed_out: true, approved: false });
		expect([output.contact_id, others]).toEqual([contactId, []]);
	});

	test('goes on with a reply of the contact, written after the question, and unsubscribes', async () => {
		const waiting = await wait();
		const [subscription] = subscriptions();
		const askedAt = sandbox.store.nowIso();
		const hourBefore = new Date(Date.parse(askedAt) - 3_600_000).toISOString();
		expect(await waiting.deliver(subscription, reply(hourBefore))).toBeUndefined();
		const ofOther = reply(askedAt, 'b7a1c9de-0d8b-4a53-9d3c-5c1f0c7f2a11');
		expect(await waiting.deliver(subscription, ofOther)).toBeUndefined();
		const forged = { ...subscription, secret: 'another' };
		expect(await waiting.deliver(forged, reply(askedAt))).toBeUndefined();
		expect(subscriptions()).toEqual([subscription]);
		expect(await waiting.deliver(subscription, reply(askedAt))).toMatchObject([
			{ reply: 'Yes', replied: true, timed_out: false, approved: true, contact_id: contactId },
		]);
		while (subscriptions().length > 0) await delay(5);
	});
});

describe('nothing is sent, and nothing is left', () => {
	test.each([
		['the service is slow to say no', { status: 500 }, /having problems/],
		['the answer is lost', { drop: 'afterEffect' }, /did not confirm/],
		['the answer is a web page', { html: true }, /./],
	] as const)('because while subscribing %s', async (_name, kind, says) => {
		sandbox.fail({ match: { method: 'POST', path: /subscriptions/ }, kind, times: 5 });
		const { error } = await ask();
		expect(`${error?.message} ${error?.description}`).toMatch(says);
		expect(error?.description).toMatch('No message was sent.');
		expect([messages(), subscriptions()]).toEqual([[], []]);
	});

	test.each(['otherUrl', 'noSecret', 'noId'] as const)(
		'because the subscription is made with %s',
		async (subscriptionCreateAnswer) => {
			sandbox.setShapes({ subscriptionCreateAnswer });
			const { error } = await ask();
			expect(error?.description).toMatch('No message was sent.');
			expect(error?.description).not.toMatch(/signature=[0-9a-f]/);
			expect([messages(), subscriptions()]).toEqual([[], []]);
		},
	);

	test('because the other subscriptions cannot be read', async () => {
		sandbox.fail({ match: { method: 'GET', path: /subscriptions/ }, kind: { status: 422 } });
		const { error } = await ask();
		expect(error?.httpCode).toBe('422');
		expect([messages(), subscriptions()]).toEqual([[], []]);
	});

	test.each([
		['refused', { status: 409, detail: 'contact opted out' }],
		['rejected by the platform', { status: 502, detail: 'paused' }],
	] as const)('because the message is %s', async (_name, kind) => {
		sandbox.fail({ match: { path: /messages/ }, kind });
		const { error } = await ask();
		expect(error?.httpCode).toBe(String(kind.status));
		expect([messages(), subscriptions()]).toEqual([[], []]);
	});

	test('because the contact has an open question, of any n8n', async () => {
		for (const origin of [PUBLIC_ORIGIN, 'https://other.example.com']) {
			sandbox.store.subscriptions.clear();
			leaveWait('open', -60, origin, hashContactId(contactId));
			const { error } = await ask();
			expect(error?.message).toBe('This contact may still have an open question');
			expect(error?.description).toMatch('Execution 7 asked this contact');
			expect([messages(), subscriptions().length]).toEqual([[], 1]);
		}
	});

	test('because the service does not list what it has just made', async () => {
		const empty = { status: 200, body: '[]' } as const;
		sandbox.fail({ match: { method: 'GET' }, kind: empty, times: 9 });
		const { error } = await ask();
		expect(error?.message).toMatch('does not list the webhook subscription');
		expect([messages(), subscriptions()]).toEqual([[], []]);
	});

	test.each([
		['to somebody else', { options: { body: '{"contact_id":"x"}' } }],
		['as only the body', { options: { body: '{"to":"x"}', bodyMode: 'replace' } }],
	])("because 'Body' would send it %s", async (_name, more) => {
		const { error } = await ask(more);
		expect(error?.message).toMatch("'Body'");
		expect(sandbox.requests).toEqual([]);
	});

	test('because there are several items', async () => {
		const { error } = await runNode(sandbox, { parameters: question(), items: [{}, {}] });
		expect(error?.message).toMatch('This node received 2 items');
		expect(sandbox.requests).toEqual([]);
	});
});

describe('the human review of a tool call, whose text n8n gives', () => {
	const messageVariable = 'question';
	const review = async (message: string, options: INodeParameters = { messageVariable }) => {
		const settings = { type: 'n8n-nodes-workspace-crm.workspaceCrmHitlTool' };
		const parameters = question({ message, options });
		return await runNode(sandbox, { parameters, settings });
	};

	test('sends the text as a variable, in one line', async () => {
		const { run, error } = await review('Run this tool?\n\nInput:  {"id":7}');
		expect(error).toBeUndefined();
		expect(run.waitTill).toBeInstanceOf(Date);
		expect(messages()).toMatchObject([
			{ variables: { question: 'Run this tool? Input: {"id":7}' } },
		]);
	});

	test.each<[string, string, INodeParameters]>([
		["No variable of the template contains 'Message'", 'Run it?', {}],
		["'Message' is", '=Order: {{ $json }}', { messageVariable }],
		["'Message' is", ' \n', { messageVariable }],
		['A form cannot approve', 'Run it?', { messageVariable, waitFor: 'form.submitted' }],
		["'Body'", 'Run it?', { messageVariable, body: '{"variables":{"question":"x"}}' }],
	])('refuses what nobody could approve: %s (%s)', async (says, message, options) => {
		const { error } = await review(message, options);
		expect(error?.message).toMatch(says);
		expect(sandbox.requests).toEqual([]);
	});
});

test.each([/messages/, /^\/v1\/subscriptions$/])(
	'one that cannot be deleted is told of',
	async (path) => {
		const isList = path.test('/v1/subscriptions');
		const match = { method: isList ? 'GET' : 'POST', path };
		sandbox.fail({ match, skip: isList ? 1 : 0, kind: { status: 409 } });
		sandbox.fail({ match: { method: 'DELETE' }, kind: { status: 500 }, times: 9 });
		const { error } = await ask();
		expect(error?.description).toMatch('The service may still have a webhook subscription');
	},
);

describe('with Retry On Fail', () => {
	const settings = { retryOnFail: true, waitBetweenTries: 5 };
	const askAgain = async () => await runNode(sandbox, { parameters: question(), settings });

	test('a refused question is asked once, and leaves one subscription', async () => {
		sandbox.fail({ match: { path: /messages/ }, kind: { status: 422 } });
		expect((await askAgain()).run.waitTill).toBeInstanceOf(Date);
		expect([messages().length, subscriptions().length]).toEqual([1, 1]);
	});

	test('a question of which nobody knows whether it was sent is not asked again', async () => {
		sandbox.fail({ match: { path: /messages/ }, kind: { drop: 'afterEffect' } });
		const { error } = await askAgain();
		expect(error?.message).toBe('It is not known whether this message was sent');
		expect([messages().length, subscriptions().length]).toEqual([1, 0]);
	});
});

test('of executions that ask a contact in the same moment, at most one does', async () => {
	const executionIds = ['1', '2', '3'];
	const parameters = question();
	const runs = await Promise.all(
		executionIds.map(async (executionId) => await runNode(sandbox, { parameters, executionId })),
	);
	const waiting = runs.filter(({ run }) => run.waitTill).length;
	expect(waiting).toBeLessThanOrEqual(1);
	expect([messages().length, subscriptions().length]).toEqual([waiting, waiting]);
});

test('an execution that asks again gives up its earlier wait', async () => {
	leaveWait('earlier', -60, PUBLIC_ORIGIN, hashContactId(contactId));
	const { run } = await runNode(sandbox, { parameters: question(), executionId: '7' });
	expect(run.waitTill).toBeInstanceOf(Date);
	expect(subscriptions().map(({ id }) => id)).toEqual([expect.not.stringMatching('earlier')]);
});

test('what a crash left behind goes with the next wait, once its time is over', async () => {
	leaveWait('over', 11);
	leaveWait('just over', 9);
	leaveWait('other', 60, 'https://other.example.com');
	expect((await ask()).error).toBeUndefined();
	const ids = subscriptions().map(({ id }) => id);
	expect(ids.slice(0, 2)).toEqual(['just over', 'other']);
	expect(ids).toHaveLength(3);
});

test('an answer without the URL is no obstacle', async () => {
	sandbox.setShapes({ subscriptionCreateAnswer: 'noUrl' });
	expect((await ask()).error).toBeUndefined();
	expect(messages()).toHaveLength(1);
});

describe('where all places are taken', () => {
	const fill = (count: number) => {
		for (let index = 0; index < count; index += 1) {
			leaveWait(`other${index}`, 60, 'https://other.example.com');
		}
	};

	test.each([409, 422])('those of waits long over are used, also after %i', async (status) => {
		sandbox.store.rules.tooManySubscriptionsStatus = status;
		fill(18);
		leaveWait('over', 11);
		leaveWait('open', -60);
		const { error } = await ask();
		expect(error).toBeUndefined();
		const ids = subscriptions().map(({ id }) => id);
		expect([ids.includes('over'), ids.includes('open'), ids.length]).toEqual([false, true, 20]);
	});

	test('the text says who has them', async () => {
		fill(18);
		leaveWait('open', -60);
		leaveWait('over', 9);
		const { error } = await ask();
		expect(error?.message).toMatch('The workspace has 20 webhook subscriptions');
		expect(error?.description).toMatch('2 of them belong to this n8n: execution 7, which waits');
		expect([messages().length, subscriptions().length]).toEqual([0, 20]);
	});
});

test('Get Many tells which are waits, and shows no signature', async () => {
	leaveWait('wait', -60);
	const { json } = await runNode(sandbox, {
		parameters: { resource: 'subscription', operation: 'getAll' },
	});
	expect(json).toMatchObject([
		{
			id: 'wait',
			wait: { execution_id: '7', since: sandbox.store.subscriptions.get('wait')?.created_at },
		},
	]);
	expect(JSON.stringify(json)).not.toContain('aaaa');
});

test('publishing a trigger deletes what is long over, and no wait that is open', async () => {
	const trigger = await startTrigger();
	const leave = (id: string, minutes: number, origin?: string) => {
		leaveWait(id, minutes, origin);
		const left = sandbox.store.subscriptions.get(id);
		if (left) trigger.sandbox.store.subscriptions.set(id, left);
	};
	leave('over', 11);
	leave('open', -1);
	leave('other', 60, 'https://other.example.com');
	await trigger.host.publish();
	const ids = [...trigger.sandbox.store.subscriptions.keys()];
	expect(ids.slice(0, 2)).toEqual(['open', 'other']);
	expect(ids).toHaveLength(3);
	await trigger.host.unpublish();
	expect([...trigger.sandbox.store.subscriptions.keys()]).toEqual(['open', 'other']);
});
