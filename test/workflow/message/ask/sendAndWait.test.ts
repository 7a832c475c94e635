import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { hashContactId } from '../../../../nodes/WorkspaceCrm/events/waitUrl';
import type { Field } from '../../../../nodes/WorkspaceCrm/operations/fieldKinds';
import type { Fault } from '../../../../tools/sandbox';
import { delay } from '../../../../tools/support/platform';
import { processAnswered } from '../../../../nodes/WorkspaceCrm/resources/message/ask/receiveReply';
import { runNode } from '../../../../tools/engine/runNode';
import { operations } from '../../../support/operations';
import {
	addContact,
	chosen,
	contactId,
	patientRuntime,
	sentLines,
	textsIn,
	useSandbox,
	variablesOf,
	writes,
} from '../../support';
import { PUBLIC_ORIGIN } from '../../triggerHost';
import { startTrigger, stopTriggers } from '../../triggerSetup';
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
	templateVariables: variablesOf({ question: 'May we?' }),
	...more,
});

const ask = async (more: INodeParameters = {}) =>
	await runNode(sandbox, { parameters: question(more), runtime: patientRuntime().runtime });
const subscriptions = () => [...sandbox.store.subscriptions.values()];
const messages = () => sandbox.store.sentMessages;

/** Leaves a subscription as a wait of this n8n would, if its time ended so many minutes ago. */
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
	const { runtime } = patientRuntime();
	const askAgain = async () => await runNode(sandbox, { parameters: question(), runtime });
	await askAgain();
	// The process has asked for the workspace of the key.
	sandbox.reset();
	addContact(sandbox, { id: contactId });
	const { run, error } = await askAgain();
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

test('waits at least a minute, even if the rate limit used up the time', async () => {
	sandbox.fail({
		match: { path: /messages/ },
		kind: { status: 429, headers: { 'retry-after': '119' } },
	});
	const { runtime, clock } = patientRuntime();
	const parameters = question({
		...{ limitType: 'afterTimeInterval', resumeAmount: 2, resumeUnit: 'minutes' },
	});
	const { run } = await runNode(sandbox, { parameters, runtime });
	expect(messages()).toHaveLength(1);
	expect(Number(run.waitTill) - clock.now()).toBe(60_000);
});

describe('a waiting execution', () => {
	const wait = async () => new WaitingNode(sandbox, question(), (await ask()).run);
	const reply = (created_at: string, id = contactId) => ({
		id: 'evt',
		event: 'message.received',
		created_at,
		data: { contact: { id }, message: { type: 'text', text: 'Yes' } },
	});

	test('treats silence as no reply and no approval', async () => {
		const [output, ...others] = await (await wait()).timeOut();
		expect(output).toMatchObject({ reply: null, replied: false, timed_out: true, approved: false });
		expect(output.answer).toBe('none');
		expect([output.contact_id, output.respondedAt, others]).toEqual([contactId, null, []]);
	});

	test('continues with a reply of the contact written after the question, and unsubscribes', async () => {
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
		expect(waiting.log).toEqual([
			expect.stringContaining('it may be older than the question'),
			expect.stringContaining('its signature does not match'),
		]);
	});
});

describe('what approves', () => {
	/** Whether each reply approves, with the field as the editor saves it. */
	async function approvals(options: INodeParameters, replies: string[]) {
		const waiting = new WaitingNode(sandbox, question({ options }), (await ask({ options })).run);
		const [subscription] = subscriptions();
		const approved: string[] = [];
		const deletions = () => sandbox.requests.filter(({ method }) => method === 'DELETE').length;
		const before = deletions();
		for (const text of replies) {
			const [output] = (await waiting.deliver(subscription, {
				id: 'evt',
				event: 'message.received',
				created_at: sandbox.store.nowIso(),
				data: { contact: { id: contactId }, message: { type: 'text', text } },
			})) as IDataObject[];
			if (output.approved === true) approved.push(text);
		}
		// Each reply deletes the subscription, after its answer.
		while (deletions() < before + replies.length) await delay(5);
		return approved;
	}

	const yes = ['yes', 'Yes', 'yes!', 'OK 👍', 'Ok.', 'approve', '👍', '👍🏽'];
	// Yes in some language, a greeting or another word in others; and what only sounds like a yes.
	const others = ['Hoi!', 'Ha', 'Ja', 'Já', 'Ano', 'Elo', 'Ya', 'Oho', 'Sin', 'sim', 'نعم', 'はい'];
	others.push('sure', 'yeah', 'okay', 'yes please', 'yes 👎', 'true', '1', 'y', '');
	const fields = operations.flatMap(({ fields: all }) =>
		all.flatMap(({ options = [] }) => options),
	);
	const { default: shown } = (fields as Field[]).find(({ name }) => name === 'approvalWords')!;

	test.each<[string, INodeParameters]>([
		['the option is not added', {}],
		['it is added and left as it is', { approvalWords: String(shown) }],
	])('only the words that the field shows, if %s', async (_name, options) => {
		expect(await approvals(options, [...yes, ...others])).toEqual(yes);
		expect(shown).toBe('yes, ok, approve, 👍');
	});

	test("a user's own words do once they are added, and only those in the field", async () => {
		const own = await approvals({ approvalWords: `${String(shown)}, ja, はい` }, [
			...yes,
			'Ja!',
			'はい。',
		]);
		expect(own).toEqual([...yes, 'Ja!', 'はい。']);
		sandbox.store.subscriptions.clear();
		expect(await approvals({ approvalWords: 'go ahead' }, [...yes, 'Go ahead.'])).toEqual([
			'Go ahead.',
		]);
	});

	test.each(['', ' '])(
		"with no words, nobody could approve: 'Approval Words' is named (%j)",
		async (words) => {
			const { error } = await ask({ options: { approvalWords: words } });
			expect(error?.message).toMatch(/^'Approval Words' is empty/);
			expect(sandbox.requests).toEqual([]);
		},
	);
});

describe('a reply whose subscription cannot be deleted', () => {
	// The clock of the node jumps ahead when it tries again.
	const soon = () => new Date(Date.now() + 60_000).toISOString();
	const reply = () => ({
		...{ id: 'evt', event: 'message.received', created_at: soon() },
		data: { contact: { id: contactId }, message: { type: 'text', text: 'Yes' } },
	});
	const deletion = { method: 'DELETE', path: /subscriptions/ };

	async function answer(): Promise<WaitingNode> {
		const { runtime } = patientRuntime();
		const { run } = await runNode(sandbox, { parameters: question(), runtime });
		const waiting = new WaitingNode(sandbox, question(), run, runtime);
		const [subscription] = subscriptions().slice(-1);
		expect(await waiting.deliver(subscription, reply())).toMatchObject([{ replied: true }]);
		return waiting;
	}

	test('does not stop the next question, and the log says that it stays', async () => {
		sandbox.fail({ match: deletion, times: Infinity, kind: { status: 500 } });
		const waiting = await answer();
		const [{ id }] = subscriptions();
		while (waiting.log.length < 2) await delay(5);
		expect(waiting.log).toEqual([
			expect.stringMatching(`${id} .+ could not be deleted: .+ n8n tries again for an hour`),
			expect.stringMatching(
				`${id} .+ could not be deleted: .+ Delete it with Subscription > Delete`,
			),
		]);
		await answer();
		expect(messages()).toHaveLength(2);
		sandbox.clearFaults();
	});

	test('is deleted as soon as the service allows', async () => {
		sandbox.fail({ match: deletion, times: 7, kind: { status: 429 } });
		await answer();
		while (subscriptions().length > 0) await delay(5);
		while (processAnswered.size > 1) await delay(5);
	});
});

test('asks nothing where n8n could not resume the execution', async () => {
	const resumeBase = 'https://n8n.example.com/n8n/webhook-waiting';
	const { error } = await runNode(sandbox, {
		parameters: question(),
		urls: { webhookWaitingBaseUrl: resumeBase, restApiUrl: 'https://n8n.example.com/n8n/rest' },
	});
	expect(error?.message).toBe(
		'This execution cannot wait for a reply, because the address of n8n has the path /n8n',
	);
	expect(writes(sandbox)).toEqual([]);
	// A path that n8n itself answers under, from N8N_ENDPOINT_WEBHOOK_WAIT.
	const { run } = await runNode(sandbox, {
		parameters: question(),
		urls: { webhookWaitingBaseUrl: resumeBase, restApiUrl: 'https://n8n.example.com/rest' },
	});
	expect(run.waitTill).toBeInstanceOf(Date);
});

describe('sends nothing and leaves nothing', () => {
	const subscribing = { method: 'POST', path: /subscriptions/ };
	const reading = { method: 'GET', path: /subscriptions/ };
	const asking = { path: /messages/ };
	const notSent = /No message was sent\./;
	test.each<[string, Fault, RegExp]>([
		['subscribing fails', { match: subscribing, kind: { status: 500 }, times: 5 }, notSent],
		[
			'the answer to the subscription is lost',
			{ match: subscribing, kind: { drop: 'afterEffect' }, times: 5 },
			/did not confirm.+No message was sent\./s,
		],
		[
			'the answer to the subscription is a web page',
			{ match: subscribing, kind: { html: true }, times: 5 },
			notSent,
		],
		['the subscriptions cannot be read', { match: reading, kind: { status: 422 } }, /HTTP 422/],
		[
			'the service does not list the new subscription',
			{ match: reading, kind: { status: 200, body: '[]' }, times: 9 },
			/does not list the webhook subscription/,
		],
		['the message is refused', { match: asking, kind: { status: 409 } }, /HTTP 409/],
		[
			'the platform rejects the message',
			{ match: asking, kind: { status: 502, detail: 'paused' } },
			/HTTP 502/,
		],
	])('if %s', async (_name, fault, says) => {
		sandbox.fail(fault);
		const { error } = await ask();
		expect(`${error?.message} ${error?.description}`).toMatch(says);
		expect([messages(), subscriptions()]).toEqual([[], []]);
	});

	test.each(['otherUrl', 'noSecret', 'noId'] as const)(
		'if the new subscription has %s',
		async (subscriptionCreateAnswer) => {
			sandbox.setShapes({ subscriptionCreateAnswer });
			const { error } = await ask();
			expect(error?.description).toMatch('No message was sent.');
			expect(error?.description).not.toMatch(/signature=[0-9a-f]/);
			expect([messages(), subscriptions()]).toEqual([[], []]);
		},
	);

	test('if the contact has an open question, in any n8n', async () => {
		for (const origin of [PUBLIC_ORIGIN, 'https://other.example.com']) {
			sandbox.store.subscriptions.clear();
			leaveWait('open', -60, origin, hashContactId(contactId));
			const { error } = await ask();
			expect(error?.message).toBe('This contact may still have an open question');
			expect(error?.description).toMatch('Execution 7 asked this contact');
			expect([messages(), subscriptions().length]).toEqual([[], 1]);
		}
	});

	test.each([
		['to somebody else', { options: { body: '{"contact_id":"x"}' } }],
		['as only the body', { options: { body: '{"to":"x"}', bodyMode: 'replace' } }],
	])("if 'Body' would send it %s", async (_name, more) => {
		const { error } = await ask(more);
		expect(error?.message).toMatch("'Body'");
		expect(writes(sandbox)).toEqual([]);
	});

	test.each(['={{ $json.words }}', '={{ "" }}', '={{ [] }}'])(
		"if 'Approval Words' is an expression without a value: not any yes may count (%s)",
		async (approvalWords) => {
			const { error } = await ask({ options: { approvalWords } });
			expect(error?.message).toMatch("'Approval Words' is empty: its expression has no value");
			expect(sandbox.requests).toEqual([]);
		},
	);

	test('if there are several items', async () => {
		const { error } = await runNode(sandbox, { parameters: question(), items: [{}, {}] });
		expect(error?.message).toMatch('This node received 2 items');
		expect(sandbox.requests).toEqual([]);
	});
});

describe('the human review of a tool call', () => {
	const messageVariable = 'question';
	const review = async (message: string, options: INodeParameters = { messageVariable }) => {
		const settings = { type: 'n8n-nodes-workspace-crm.workspaceCrmHitlTool' };
		const parameters = question({ message, options });
		return await runNode(sandbox, { parameters, settings });
	};

	test("sends n8n's text as a variable, in one line", async () => {
		const { run, error } = await review('Run this tool?\n\nInput:  {"id":7}');
		expect(error).toBeUndefined();
		expect(run.waitTill).toBeInstanceOf(Date);
		expect(messages()).toMatchObject([
			{ variables: { question: 'Run this tool? Input: {"id":7}' } },
		]);
	});

	test.each<[string, string, INodeParameters]>([
		["No variable of the template contains 'Message'", 'Run it?', {}],
		["'Message' would be", '=Order: {{ $json }}', { messageVariable }],
		["'Message' would be", '=Order of {{ $json.nme }}', { messageVariable }],
		["'Message' would be", 'Order {{ $json.id }}', { messageVariable }],
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
	'the error says so if the subscription cannot be deleted',
	async (path) => {
		const isList = path.test('/v1/subscriptions');
		const match = { method: isList ? 'GET' : 'POST', path };
		sandbox.fail({ match, skip: isList ? 1 : 0, kind: { status: 409 } });
		sandbox.fail({ match: { method: 'DELETE' }, kind: { status: 500 }, times: 9 });
		const { error } = await ask();
		expect(error?.description).toMatch('The service may still have a webhook subscription');
	},
);

test('at most one of several executions asks a contact at the same time', async () => {
	const executionIds = ['1', '2', '3'];
	const parameters = question();
	const runs = await Promise.all(
		executionIds.map(async (executionId) => await runNode(sandbox, { parameters, executionId })),
	);
	const waiting = runs.filter(({ run }) => run.waitTill).length;
	expect(waiting).toBeLessThanOrEqual(1);
	expect([messages().length, subscriptions().length]).toEqual([waiting, waiting]);
});

test('an execution that asks again ends its earlier wait', async () => {
	leaveWait('earlier', -60, PUBLIC_ORIGIN, hashContactId(contactId));
	const { run } = await runNode(sandbox, { parameters: question(), executionId: '7' });
	expect(run.waitTill).toBeInstanceOf(Date);
	expect(subscriptions().map(({ id }) => id)).toEqual([expect.not.stringMatching('earlier')]);
});

test('the next wait deletes what a crash left, once its time is over', async () => {
	leaveWait('over', 11);
	leaveWait('just over', 9);
	leaveWait('other', 60, 'https://other.example.com');
	expect((await ask()).error).toBeUndefined();
	const ids = subscriptions().map(({ id }) => id);
	expect(ids.slice(0, 2)).toEqual(['just over', 'other']);
	expect(ids).toHaveLength(3);
});

test('accepts an answer without the URL', async () => {
	sandbox.setShapes({ subscriptionCreateAnswer: 'noUrl' });
	expect((await ask()).error).toBeUndefined();
	expect(messages()).toHaveLength(1);
});

describe('at the limit of subscriptions', () => {
	const fill = (count: number) => {
		for (let index = 0; index < count; index += 1) {
			leaveWait(`other${index}`, 60, 'https://other.example.com');
		}
	};

	test.each([409, 422])('places of expired waits are used, also after %i', async (status) => {
		sandbox.store.rules.tooManySubscriptionsStatus = status;
		fill(18);
		leaveWait('over', 11);
		leaveWait('open', -60);
		const { error } = await ask();
		expect(error).toBeUndefined();
		const ids = subscriptions().map(({ id }) => id);
		expect([ids.includes('over'), ids.includes('open'), ids.length]).toEqual([false, true, 20]);
	});

	test('the error names the executions that wait', async () => {
		fill(18);
		leaveWait('open', -60);
		leaveWait('over', 9);
		const { error } = await ask();
		expect(error?.message).toMatch('The workspace has 20 webhook subscriptions');
		expect(error?.description).toMatch(
			'2 of them belong to this n8n, now or under a former address: execution 7, which waits',
		);
		expect([messages().length, subscriptions().length]).toEqual([0, 20]);
	});
});

test('Get Many marks waits, and shows no signature', async () => {
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

test('publishing a trigger deletes expired waits, and no open one', async () => {
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
