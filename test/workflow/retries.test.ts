import type { INodeParameters } from 'n8n-workflow';

import { createRuntime } from '../../nodes/WorkspaceCrm/api/runtime';
import { startSandbox, type Contact, type FaultKind, type Sandbox } from '../sandbox';
import { runNode } from './runNode';
import { automatic, runSync } from './syncNode';
import {
	addContact,
	chosen,
	contactId,
	jumpingClock,
	patientRuntime,
	sentLines,
	useSandbox,
} from './support';

const contactChosen = chosen('id', contactId);
const sandbox = useSandbox();
let contact: Contact;
beforeEach(() => {
	contact = addContact(sandbox, { id: contactId, tags: ['vip'] });
});

const getWorkspace: INodeParameters = { resource: 'workspace', operation: 'get' };
const send: INodeParameters = {
	resource: 'message',
	operation: 'sendTemplate',
	contactId: contactChosen,
	template: chosen('name', 'welcome'),
};
const enroll: INodeParameters = {
	resource: 'automation',
	operation: 'enroll',
	automationId: chosen('id', 'aut_win_back'),
	contactId: contactChosen,
};
const subscribe: INodeParameters = {
	resource: 'subscription',
	operation: 'create',
	url: 'https://example.com/events',
	events: ['tag.added'],
};

async function run(parameters: INodeParameters) {
	const { runtime, clock } = patientRuntime();
	const result = await runNode(sandbox, { parameters, runtime });
	return { ...result, waitedMs: clock.sleptMs() };
}

describe('a refusal by the rate limit', () => {
	test.each([
		['seconds', '7', 7_000],
		['0 seconds', '0', 1_000],
		['as long as is waited at most', '300', 300_000],
		['nothing readable', 'soon', 5_000],
		['a negative number', '-3', 5_000],
	])('is waited out as the header says: %s', async (_case, retryAfter, expectedMs) => {
		sandbox.fail({ kind: { status: 429, headers: { 'retry-after': retryAfter } } });
		const { json, waitedMs } = await run(getWorkspace);
		expect(json).toHaveLength(1);
		expect(waitedMs).toBe(expectedMs);
		expect(sandbox.requests).toHaveLength(2);
	});

	test('is waited out until the date in the header', async () => {
		const until = new Date(Date.now() + 30_000).toUTCString();
		sandbox.fail({ kind: { status: 429, headers: { 'retry-after': until } } });
		const { json, waitedMs } = await run(getWorkspace);
		expect(json).toHaveLength(1);
		expect(waitedMs).toBeGreaterThanOrEqual(28_000);
		expect(waitedMs).toBeLessThanOrEqual(30_000);
	});

	test('is waited out until the date in the header, by the clock of the service', async () => {
		const until = new Date(Date.now() + 30_000).toUTCString();
		sandbox.fail({ kind: { status: 429, headers: { 'retry-after': until } } });
		const clock = jumpingClock();
		const runtime = createRuntime({ ...clock, now: () => clock.now() - 3_600_000 });
		const { json } = await runNode(sandbox, { parameters: getWorkspace, runtime });
		expect(json).toHaveLength(1);
		expect(clock.sleptMs()).toBeGreaterThanOrEqual(28_000);
		expect(clock.sleptMs()).toBeLessThanOrEqual(30_000);
	});

	test('is waited out longer each time where the header is missing', async () => {
		sandbox.fail({ times: 3, kind: { status: 429 } });
		const { json, waitedMs } = await run(getWorkspace);
		expect(json).toHaveLength(1);
		expect(waitedMs).toBe(5_000 + 10_000 + 20_000);
	});

	test('of more than 5 minutes fails at once, and says how long', async () => {
		sandbox.fail({ kind: { status: 429, headers: { 'retry-after': '3600' } } });
		const { error, waitedMs } = await run(getWorkspace);
		expect(error?.message).toBe('The rate limit of the service is used up');
		expect(error?.description).toMatch(/^Wait 60 minutes, then run again\./);
		expect(waitedMs).toBe(0);
		expect(sandbox.requests).toHaveLength(1);
	});

	test('of more than 5 minutes is told to the next runs, too, without a request', async () => {
		sandbox.fail({ kind: { status: 429, headers: { 'retry-after': '3600' } } });
		const { runtime, clock } = patientRuntime();
		const parameters = getWorkspace;
		await runNode(sandbox, { parameters, runtime });
		const { error } = await runNode(sandbox, { parameters, runtime });
		expect(error?.httpCode).toBe('429');
		expect(error?.description).toMatch(/^Wait 60 minutes, then run again\./);
		expect(sandbox.requests).toHaveLength(1);
		expect(clock.sleptMs()).toBe(0);
	});

	test('is not waited out for more than 5 minutes in all', async () => {
		sandbox.fail({ times: 9, kind: { status: 429, headers: { 'retry-after': '140' } } });
		const { error, waitedMs } = await run(getWorkspace);
		expect(error?.httpCode).toBe('429');
		expect(waitedMs).toBe(280_000);
		expect(sandbox.requests).toHaveLength(3);
	});

	test.each([
		['a message', send, () => sandbox.store.sentMessages.length],
		['an enrolment', enroll, () => sandbox.store.enrolments.length],
		['a subscription', subscribe, () => sandbox.store.subscriptions.size],
	])(
		'proves that nothing happened: %s is repeated, and made once',
		async (_name, parameters, count) => {
			sandbox.fail({ times: 4, kind: { status: 429, headers: { 'retry-after': '2' } } });
			const { error, waitedMs } = await run(parameters);
			expect(error).toBeUndefined();
			expect(sandbox.requests).toHaveLength(5);
			expect(count()).toBe(1);
			expect(waitedMs).toBe(8_000);
		},
	);
});

const sendUnclear = [
	'It is not known whether this message was sent',
	"Look at the contact's chat first, and run the node again only if the message is not there.",
] as const;
const otherUnclear = [
	'It is not known whether this was done',
	'Check in the app before you run the node again.',
] as const;

/** Ends after which nobody knows whether the request took effect. */
const unclear: Array<[name: string, kind: FaultKind]> = [
	['500', { status: 500 }],
	['503', { status: 503 }],
	['500 after its effect', { status: 500, afterEffect: true }],
	['a web page with 503', { html: true, status: 503 }],
	['a connection broken before its effect', { drop: 'beforeEffect' }],
	['a connection broken after its effect', { drop: 'afterEffect' }],
];

const harmless: Array<[name: string, parameters: INodeParameters, check: () => void]> = [
	['workspace get', getWorkspace, () => {}],
	[
		'contact upsert',
		{
			resource: 'contact',
			operation: 'upsert',
			phone: '+4915123456780',
			additionalFields: { name: 'New', tags: 'lead', attributesJson: '{ "plan": "pro" }' },
		},
		() => {
			expect(sandbox.store.contacts.size).toBe(2);
			expect(sandbox.store.findByPhone('+4915123456780')).toMatchObject({
				name: 'New',
				tags: ['lead'],
				attributes: { plan: 'pro' },
			});
		},
	],
	[
		'contact update',
		{
			resource: 'contact',
			operation: 'update',
			contactId: contactChosen,
			updateFields: { name: 'New' },
		},
		() => expect(contact.name).toBe('New'),
	],
	[
		'contact delete',
		{ resource: 'contact', operation: 'delete', contactId: contactChosen },
		() => expect(sandbox.store.contacts.size).toBe(0),
	],
	[
		'tag add',
		{ resource: 'tag', operation: 'add', contactId: contactChosen, tags: 'lead' },
		() => expect(contact.tags).toEqual(['vip', 'lead']),
	],
	[
		'tag remove',
		{ resource: 'tag', operation: 'remove', contactId: contactChosen, tags: 'vip' },
		() => expect(contact.tags).toEqual([]),
	],
	[
		'subscription delete',
		{ resource: 'subscription', operation: 'delete', subscriptionId: chosen('id', 'sub_1') },
		() => expect(sandbox.store.subscriptions.size).toBe(0),
	],
];

describe.each(unclear)('after %s', (_name, kind) => {
	test.each(harmless)(
		'%s is repeated, and the state is right',
		async (_operation, parameters, check) => {
			sandbox.fail({ times: 2, kind });
			const { error, output, waitedMs } = await run(parameters);
			expect(error).toBeUndefined();
			expect(output).toHaveLength(1);
			expect(new Set(sentLines(sandbox)).size).toBe(1);
			// A deletion that worked the first time is known to have worked at the second.
			expect(sandbox.requests.length).toBeGreaterThanOrEqual(2);
			expect(sandbox.requests.length).toBeLessThanOrEqual(3);
			expect([500, 1_500]).toContain(waitedMs);
			check();
		},
	);

	test.each([
		['message sendTemplate', send, ...sendUnclear],
		['automation enroll', enroll, ...otherUnclear],
		['subscription create', subscribe, ...otherUnclear],
	])(
		'%s is not repeated, and the text says that it may have happened',
		async (_operation, parameters, title, whatToDo) => {
			sandbox.fail({ kind });
			const { error, waitedMs } = await run(parameters);
			expect(error?.message).toBe(title);
			expect(error?.description).toContain(
				`The request may have taken effect, so the node did not repeat it. ${whatToDo}`,
			);
			expect(sandbox.requests).toHaveLength(1);
			expect(waitedMs).toBe(0);
		},
	);
});

test('a harmless request is given up after three tries', async () => {
	sandbox.fail({ times: Infinity, kind: { status: 500 } });
	const { error, waitedMs } = await run(getWorkspace);
	expect(error?.httpCode).toBe('500');
	expect(error?.description).not.toContain('may have taken effect');
	expect(sandbox.requests).toHaveLength(3);
	expect(waitedMs).toBe(1_500);
});

test('a service that is busy is left alone for as long as it asks', async () => {
	sandbox.fail({ kind: { status: 503, headers: { 'retry-after': '20' } } });
	const { error, waitedMs } = await run(getWorkspace);
	expect(error).toBeUndefined();
	expect(waitedMs).toBe(20_000);
});

test.each([
	['back', -3_600_000],
	['forward', 3_600_000],
])('a wait is as long as asked for when the clock is set an hour %s during it', async (_, byMs) => {
	sandbox.fail({ kind: { status: 503, headers: { 'retry-after': '20' } } });
	const clock = jumpingClock();
	const now = () => clock.now() + (clock.sleptMs() > 0 ? byMs : 0);
	const runtime = createRuntime({ ...clock, now });
	const items = [{ phone: contact.phone }];
	const { error, hints } = await runSync(sandbox, items, automatic(), { runtime });
	expect(error).toBeUndefined();
	expect(clock.sleptMs()).toBe(20_000);
	expect(hints.join()).toContain('20 seconds of waiting for the CRM');
});

test('an upsert that took effect before the connection broke made one contact', async () => {
	sandbox.fail({ kind: { drop: 'afterEffect' } });
	const { json } = await run({
		resource: 'contact',
		operation: 'upsert',
		phone: '+4915123456780',
	});
	expect(json).toMatchObject([{ phone: '+4915123456780' }]);
	expect(sandbox.store.contacts.size).toBe(2);
	expect(sandbox.requests).toHaveLength(2);
});

test.each([
	[
		'contact',
		{ resource: 'contact', operation: 'delete', contactId: contactChosen },
		{ id: contactId, deleted: true },
	],
	[
		'tag link',
		{ resource: 'tag', operation: 'remove', contactId: contactChosen, tags: 'vip' },
		{ contact_id: contactId, removed_tags: ['vip'] },
	],
] as Array<[string, INodeParameters, object]>)(
	'a deleted %s that is gone at the second try was deleted by the first',
	async (_name, parameters, expected) => {
		sandbox.fail({ kind: { drop: 'afterEffect' } });
		const { error, json } = await run(parameters);
		expect(error).toBeUndefined();
		expect(json).toEqual([expected]);
		expect(sandbox.requests.map(({ status }) => status)).toEqual([0, 404]);
	},
);

test('what could not be sent at the first try has deleted nothing', async () => {
	const stopped = await startSandbox();
	await stopped.close();
	let restarted: Sandbox | undefined;
	// The service comes up while the second try is waited for.
	const clock = jumpingClock();
	const sleep = async (ms: number) => {
		restarted ??= await startSandbox({ port: Number(new URL(stopped.url).port) });
		await clock.sleep(ms);
	};
	const { error } = await runNode(stopped, {
		parameters: { resource: 'contact', operation: 'delete', contactId: contactChosen },
		runtime: createRuntime({ ...clock, sleep }),
	});
	expect(error?.httpCode).toBe('404');
	expect(restarted?.requests).toHaveLength(1);
	await restarted?.close();
});

test('a deletion of what never was is no success', async () => {
	sandbox.store.eraseContact(contact);
	const { error } = await run({
		resource: 'contact',
		operation: 'delete',
		contactId: contactChosen,
	});
	expect(error?.httpCode).toBe('404');
	expect(sandbox.requests).toHaveLength(1);
});

test.each([
	['a message', send, ...sendUnclear],
	['an enrolment', enroll, ...otherUnclear],
])(
	'%s that cannot be read as sent is not sent again',
	async (_name, parameters, title, whatToDo) => {
		sandbox.fail({ kind: { truncated: true } });
		const { error } = await run(parameters);
		expect(error?.message).toBe(title);
		expect(error?.description).toMatch(/^The service answered with broken JSON\. /);
		expect(error?.description).toContain(
			`The request may have taken effect, so the node did not repeat it. ${whatToDo}`,
		);
		expect(sandbox.requests).toHaveLength(1);
		expect(sandbox.store.sentMessages.length + sandbox.store.enrolments.length).toBe(1);
	},
);

test('a send rejected by the platform is final, and known not to have happened', async () => {
	sandbox.store.rules.platformRejects.set(contactId, 'number not on the platform');
	const { error } = await run(send);
	expect(error?.description).toContain('The message was not sent.');
	expect(error?.description).toContain('number not on the platform');
	expect(error?.description).not.toContain('may have taken effect');
	expect(sandbox.requests).toHaveLength(1);
});

test('a service that is down for a moment is reached at the next try, also for a send', async () => {
	sandbox.fail({ match: { method: 'GET' }, times: 2, kind: { drop: 'beforeEffect' } });
	const { error } = await run({ ...send, contactId: chosen('phone', '+4915123456789') });
	expect(error).toBeUndefined();
	expect(sandbox.store.sentMessages).toHaveLength(1);
	expect(sentLines(sandbox)).toEqual([
		...Array<string>(3).fill('GET /v1/contacts'),
		'POST /v1/messages/template',
	]);
});
