import { signatureOf } from '../sandbox';
import { UNSEEN } from '../support/hostileTexts';
import { delay } from '../support/platform';
import { deliver, eventBody } from './signedDelivery';
import { jumpingClock } from './support';
import { startTrigger, stopTriggers } from './triggerSetup';
import type { TriggerHostOptions } from './triggerHost';

afterEach(async () => await stopTriggers());

async function published(
	parameters: TriggerHostOptions['parameters'] = {},
	options: Partial<TriggerHostOptions> = {},
) {
	const setup = await startTrigger({
		parameters: { events: ['message.received'], ...parameters },
		...options,
	});
	await setup.host.publish();
	return { ...setup, send: deliver.bind(undefined, setup) };
}

describe('output', () => {
	const contact = { id: 'c', phone: '+4915123456789' };
	const message = { wa_message_id: 'm', type: 'text', text: 'Hi', is_new_contact: false };
	const body = eventBody('message.received', { contact, message });
	const { id, created_at } = JSON.parse(body) as { id: string; created_at: string };
	const headers = { 'x-service-delivery': 'dlv-1' };

	test('is one flat item, with the parts of the payload at the top', async () => {
		const { host, send } = await published();
		expect((await send({ body, headers })).status).toBe(200);
		expect(host.started).toEqual([
			[
				{
					json: {
						event: 'message.received',
						event_id: id,
						delivery_id: 'dlv-1',
						created_at,
						contact,
						message,
						// as n8n's AI Agent and its memory take them
						chatInput: 'Hi',
						sessionId: 'c',
					},
				},
			],
		]);
	});

	test.each([
		['message.received', { contact, message: { ...message, text: '' } }],
		['message.received', { contact, message: { type: 'image' } }],
		['message.received', { message }],
		['tag.added', { contact, message }],
	])('of %s with %j has nothing for an agent', async (event, data) => {
		const { host, send } = await published({ events: [event] });
		await send({ body: eventBody(event, data) });
		const [[{ json }]] = host.started;
		expect(json).not.toHaveProperty('chatInput');
		expect(json).not.toHaveProperty('sessionId');
	});

	test('gives way to parts of the payload that have these names', async () => {
		const { host, send } = await published();
		await send({ body: eventBody('message.received', { contact, message, chatInput: 'its own' }) });
		expect(host.started[0][0].json).toMatchObject({ chatInput: 'its own', sessionId: 'c' });
	});

	test('is the envelope as received, with the delivery id, when not simplified', async () => {
		const { host, send } = await published({ simplify: false });
		await send({ body, headers });
		expect(host.started).toEqual([
			[{ json: { ...(JSON.parse(body) as object), delivery_id: 'dlv-1' } }],
		]);
	});

	test.each([
		['tag.added', { tag: 'vip' }],
		['tag.added', { tag: { id: 7, name: 'vip' } }],
		['form.submitted', { flow_id: '9', answers: { q: 'a' } }],
		['form.submitted', { flow_id: '9', answers: [{ question: 'q', answer: 'a' }] }],
		['form.submitted', { flow_id: '9', answers: 'text' }],
		['message.received', ['no', 'object']],
		['message.received', { event: 'inner', id: 'inner' }],
	])('%s with %j passes through whole', async (event, data) => {
		const { host, send } = await published({ events: [event] });
		await send({ body: eventBody(event, data) });
		const [[{ json }]] = host.started;
		expect(json.event).toBe(event);
		const isNested = Array.isArray(data) || 'event' in data;
		expect(json).toMatchObject(isNested ? { data } : data);
	});

	test('falls back to the id of the event when the delivery has none', async () => {
		const { host, send } = await published();
		await send({ body });
		expect(host.started[0][0].json.delivery_id).toBe(id);
	});
});

describe('a delivery that is not signed as it should be gets 401 and starts nothing', () => {
	const body = eventBody();

	test.each([
		['no signature', { 'x-service-signature': undefined }],
		['an empty one', { 'x-service-signature': ' ' }],
		['one without prefix', { 'x-service-signature': 'a'.repeat(64) }],
		['another algorithm', { 'x-service-signature': `sha1=${'a'.repeat(40)}` }],
		['a wrong one', { 'x-service-signature': `sha256=${'a'.repeat(64)}` }],
		['one that is too short', { 'x-service-signature': 'sha256=abcdef' }],
		['one that is too long', { 'x-service-signature': `sha256=${'a'.repeat(66)}` }],
		['one that is no hex', { 'x-service-signature': `sha256=${'z'.repeat(64)}` }],
		['only the prefix', { 'x-service-signature': 'sha256=' }],
	])('%s', async (_, headers) => {
		const { host, send } = await published();
		expect(await send({ body, headers })).toEqual({
			status: 401,
			message: 'The signature of the delivery was not accepted',
		});
		expect(host.started).toEqual([]);
		expect(host.log).toHaveLength(1);
		expect(host.log[0]).toMatch(/^Workspace CRM Trigger: The delivery to https:.* was refused: /);
	});

	test('a body that was changed on the way', async () => {
		const { sandbox, host, send } = await published();
		const [{ secret }] = [...sandbox.store.subscriptions.values()];
		const headers = { 'x-service-signature': signatureOf(body, secret) };
		expect((await send({ body: `${body} `, headers })).status).toBe(401);
		expect((await send({ body: JSON.stringify(JSON.parse(body), null, 1), headers })).status).toBe(
			401,
		);
		expect((await send({ body, headers })).status).toBe(200);
		expect(host.started).toHaveLength(1);
	});

	test('no secret stored: the log says what to do', async () => {
		const { host, send } = await published();
		host.stored.webhook = '{}';
		host.restart();
		expect((await send({ body })).status).toBe(401);
		expect(host.log.join()).toContain('Unpublish the workflow, then publish it');
		expect(host.started).toEqual([]);
	});

	test('no raw body, as n8n keeps none of a form with files', async () => {
		const { host, send } = await published();
		const headers = { 'content-type': 'multipart/form-data; boundary=x' };
		expect((await send({ body, headers })).status).toBe(401);
		expect(host.log.join()).toContain('it has no raw body to check');
		expect(host.started).toEqual([]);
	});

	test('the log never holds the signature or the secret', async () => {
		const { sandbox, host, send } = await published();
		const [{ secret }] = [...sandbox.store.subscriptions.values()];
		const forged = `sha256=${'ab'.repeat(32)}`;
		await send({ body, headers: { 'x-service-signature': forged } });
		expect(host.log.join()).not.toContain(secret);
		expect(host.log.join()).not.toContain('abab');
	});
});

describe('a stranger cannot fill the log:', () => {
	const forged = (signature: string) => ({ 'x-service-signature': signature });
	const flood = 200;

	test('one line a minute for each reason, with a count of those left out', async () => {
		const clock = jumpingClock();
		const { host, send } = await published({}, { clock });
		const body = eventBody();
		const wrong = { body, headers: forged(`sha256=${'a'.repeat(64)}`) };
		await Promise.all(Array.from({ length: flood }, () => send(wrong)));
		await Promise.all(Array.from({ length: flood }, () => send({ body, headers: forged('x') })));
		expect(host.log).toEqual([
			expect.stringContaining('its signature does not match'),
			expect.stringContaining('does not start with sha256='),
		]);
		await clock.sleep(60_000);
		expect((await send(wrong)).status).toBe(401);
		expect(host.log).toHaveLength(3);
		expect(host.log[2]).toMatch(/\(and 199 more like it since the last such line\)$/);
		expect(host.started).toEqual([]);
	});

	test('nor with what it writes, which counts for no reason of its own', async () => {
		const { host, send } = await published();
		for (let index = 0; index < flood; index += 1) {
			const headers = {
				...forged(`sha256=${index}`),
				'x-service-delivery': `${index}`,
				'x-service-event': `event ${index}`,
				'content-type': `text/${index}`,
				'user-agent': `agent ${index}`,
			};
			await send({ body: `${index}`, headers });
		}
		expect(host.log).toHaveLength(1);
	});

	test('nor while a test event is listened for', async () => {
		const { sandbox, host, origin } = await startTrigger();
		await host.publish(true);
		const url = `${origin}${new URL(String(host.url(true))).pathname}`;
		for (let index = 0; index < flood; index += 1) await fetch(url, { method: 'POST' });
		expect(host.log).toHaveLength(1);
		expect(sandbox.store.subscriptions.size).toBe(1);
	});

	test('and another trigger has lines of its own', async () => {
		const { host, send } = await published();
		const other = host.withNode('Other');
		const otherOrigin = await other.listen();
		await other.publish();
		await send({ body: '', headers: forged('x') });
		await send({ body: '', headers: forged('x') });
		const url = `${otherOrigin}${new URL(String(other.url())).pathname}`;
		await fetch(url, { method: 'POST', headers: forged('x') });
		other.close();
		expect([host.log.length, other.log.length]).toEqual([1, 1]);
	});

	test.each([
		['too old', { created_at: '2020-01-01T00:00:00Z' }, 200],
		['no JSON object that names an event', { event: '' }, 400],
	])('nor by repeating a signed delivery that is %s', async (_, more, status) => {
		const { host, send } = await published();
		const body = eventBody('message.received', {}, more);
		for (let index = 0; index < flood; index += 1) {
			expect((await send({ body })).status).toBe(status);
		}
		expect(host.log).toHaveLength(1);
	});

	test('an id that nobody signed is logged as plain text, and not without end', async () => {
		const clock = jumpingClock();
		const { host, send } = await published({}, { clock });
		const body = eventBody();
		const id = `<b>\u009b[31m ${'x'.repeat(5_000)}`;
		let start: (() => void) | undefined;
		host.onStart = async () => await new Promise<void>((resolve) => (start = resolve));
		const first = send({ body });
		while (!start) await delay(5);
		for (let index = 0; index < 3; index += 1) {
			const headers = { 'x-service-delivery': `${id}${index}` };
			expect((await send({ body, headers })).status).toBe(503);
		}
		start();
		expect((await first).status).toBe(200);
		expect(host.log).toHaveLength(1);
		expect(host.log[0]).toContain('(‹b› [31m xxx');
		expect(host.log[0].length).toBeLessThan(500);
		expect(host.log[0]).not.toMatch(UNSEEN);
	});
});

test('an answer repeats nothing of what was sent', async () => {
	const { send } = await published();
	const event = `<script>${'x'.repeat(100_000)}</script>`;
	expect(await send({ body: eventBody(event) })).toEqual({
		status: 200,
		message: 'Nothing was started: the event is not chosen',
	});
});

test.each(['', 'application/octet-stream', 'application/vnd.crm.event+json', 'text/html'])(
	'what the body is said to be does not matter, only what it is signed with: %j',
	async (type) => {
		const { host, send } = await published();
		const headers = { 'content-type': type };
		expect((await send({ body: eventBody(), headers })).status).toBe(200);
		expect(host.started).toHaveLength(1);
		const forged = { ...headers, 'x-service-signature': `sha256=${'0'.repeat(64)}` };
		expect((await send({ body: eventBody(), headers: forged })).status).toBe(401);
		expect(host.started).toHaveLength(1);
	},
);

test('a signature in capital letters is accepted', async () => {
	const { sandbox, host, send } = await published();
	const body = eventBody();
	const [{ secret }] = [...sandbox.store.subscriptions.values()];
	const signature = `sha256=${signatureOf(body, secret).slice(7).toUpperCase()}`;
	expect((await send({ body, headers: { 'x-service-signature': signature } })).status).toBe(200);
	expect(host.started).toHaveLength(1);
});

test.each(['', 'not json', '[]', '"text"', '{}', '{"event":""}', '{"event":7}', '{"event":'])(
	'a signed body of %s gets 400 and starts nothing',
	async (body) => {
		const { host, send } = await published();
		expect((await send({ body })).status).toBe(400);
		expect(host.started).toEqual([]);
	},
);

describe('filters', () => {
	const message = { type: 'text', text: 'Hello, you', is_new_contact: false };
	test.each([
		['an event that is not chosen', {}, 'tag.added', { tag: 'vip' }, false],
		['a tag that is listed', { tags: 'vip, lead' }, 'tag.added', { tag: 'lead' }, true],
		['a tag object that is listed', { tags: 'vip' }, 'tag.added', { tag: { name: 'vip' } }, true],
		['a tag chosen from the list', { knownTags: ['lead'] }, 'tag.added', { tag: 'lead' }, true],
		[
			'a tag that is typed beside others that are chosen',
			{ knownTags: ['lead'], tags: 'vip' },
			'tag.added',
			{ tag: 'vip' },
			true,
		],
		['a tag that is not chosen', { knownTags: ['lead'] }, 'tag.added', { tag: 'vip' }, false],
		['a tag that is not listed', { tags: 'vip' }, 'tag.added', { tag: 'VIP' }, false],
		[
			'a tag object that is not listed',
			{ tags: 'vip' },
			'tag.added',
			{ tag: { name: 'x' } },
			false,
		],
		['a blank tag filter', { tags: ' , ' }, 'tag.added', { tag: 'x' }, true],
		[
			'a message type that is listed',
			{ messageTypes: 'text' },
			'message.received',
			{ message },
			true,
		],
		[
			'a message type that is not',
			{ messageTypes: 'image' },
			'message.received',
			{ message },
			false,
		],
		[
			'a message with one of the words',
			{ messageContains: 'price, HELLO' },
			'message.received',
			{ message },
			true,
		],
		[
			'a message without them',
			{ messageContains: 'hell, helloo' },
			'message.received',
			{ message },
			false,
		],
		['a known contact', { onlyNewContacts: true }, 'message.received', { message }, false],
		[
			'a new contact',
			{ onlyNewContacts: true },
			'message.received',
			{ message: { ...message, is_new_contact: true } },
			true,
		],
		['a form that is listed', { flowIds: '9' }, 'form.submitted', { flow_id: 9 }, true],
		['a form that is not', { flowIds: '8' }, 'form.submitted', { flow_id: '9' }, false],
		[
			'filters that do not concern the event',
			{ tags: 'vip', messageTypes: 'image' },
			'form.submitted',
			{ flow_id: '9' },
			true,
		],
	])('%s', async (_, options, event, data, isStarted) => {
		const all = ['tag.added', 'message.received', 'form.submitted'];
		const events = Object.keys(options).length > 0 ? all : ['message.received'];
		const { host, send } = await published({ events, options });
		const { status, message: text } = await send({ body: eventBody(event, data) });
		expect(status).toBe(200);
		expect(host.started).toHaveLength(isStarted ? 1 : 0);
		if (!isStarted) expect(text).toMatch(/^Nothing was started: /);
	});

	test('an event older than the maximum age, and one without a readable time', async () => {
		const { host, send } = await published({ options: { maxAge: 10 } });
		const minutesAgo = (minutes: number) => ({
			created_at: new Date(Date.now() - minutes * 60_000).toISOString(),
		});
		await send({ body: eventBody('message.received', {}, minutesAgo(11)) });
		expect(host.started).toHaveLength(0);
		await send({ body: eventBody('message.received', {}, minutesAgo(9)) });
		await send({ body: eventBody('message.received', {}, { created_at: 'yesterday' }) });
		expect(host.started).toHaveLength(2);
	});

	const agedBody = (minutes: number) =>
		eventBody('message.received', {}, { created_at: new Date(Date.now() - minutes * 60_000) });

	test('events of an hour ago, where no maximum age is set, and the log says so', async () => {
		const { host, send } = await published();
		expect((await send({ body: agedBody(61) })).message).toBe(
			'Nothing was started: the event is too old',
		);
		expect(host.started).toHaveLength(0);
		expect(host.log).toEqual([
			expect.stringMatching(
				/started nothing: .*'Max Age'.* the clock of n8n or of the service is wrong/,
			),
		]);
		// The last try of the service comes after 31 minutes.
		for (const minutes of [59, 32, 0, -90]) await send({ body: agedBody(minutes) });
		expect(host.started).toHaveLength(4);
	});

	test('a maximum age of 0 lets all through, and one of its own may be longer', async () => {
		for (const [maxAge, startedCount] of [
			[0, 2],
			[120, 1],
		]) {
			const { host, send } = await published({ options: { maxAge } });
			await send({ body: agedBody(90) });
			await send({ body: agedBody(1_000_000) });
			expect(host.started).toHaveLength(startedCount);
		}
	});

	test('the age counts when a delivery arrives, however late n8n starts the workflow', async () => {
		const clock = jumpingClock();
		const { host, send } = await published({}, { clock });
		host.onStart = async () => await clock.sleep(24 * 60 * 60_000);
		expect((await send({ body: eventBody() })).status).toBe(200);
		expect(host.started).toHaveLength(1);
	});
});

describe('each delivery starts the workflow once', () => {
	const headers = { 'x-service-delivery': 'dlv-7' };

	test('when it is repeated', async () => {
		const { host, send } = await published();
		const body = eventBody();
		for (let time = 0; time < 5; time += 1)
			expect((await send({ body, headers })).status).toBe(200);
		expect(host.started).toHaveLength(1);
	});

	test('when repeats come at once', async () => {
		const { host, send } = await published();
		host.onStart = async () => await delay(50);
		const body = eventBody();
		const answers = await Promise.all(Array.from({ length: 20 }, () => send({ body, headers })));
		expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
		expect(host.started).toHaveLength(1);
	});

	test('when n8n restarts in between, also after deliveries that came at once', async () => {
		const { host, send } = await published();
		const deliveries = Array.from({ length: 30 }, (_, index) => ({
			body: eventBody(),
			headers: { 'x-service-delivery': `dlv-${index}` },
		}));
		await Promise.all(deliveries.map(send));
		host.restart();
		await Promise.all(deliveries.map(send));
		expect(host.started).toHaveLength(30);
	});

	test('when a copy comes under another delivery id, which nobody signed', async () => {
		const { host, send } = await published();
		const body = eventBody();
		await send({ body, headers });
		await send({ body, headers: { 'x-service-delivery': 'another' } });
		expect(host.started).toHaveLength(1);
	});

	test('but other events with the same content in other deliveries start it again', async () => {
		const { host, send } = await published();
		for (const id of ['a', 'b', 'c']) {
			await send({ body: eventBody(), headers: { 'x-service-delivery': id } });
		}
		expect(host.started).toHaveLength(3);
	});

	test('a delivery without id is known by the id of its event', async () => {
		const { host, send } = await published();
		const body = eventBody();
		await send({ body });
		await send({ body });
		expect(host.started).toHaveLength(1);
	});

	test('a delivery that could not be started is taken when it comes again', async () => {
		const { host, send } = await published();
		const body = eventBody();
		host.onStart = () => Promise.reject(new Error('the database is down'));
		expect((await send({ body, headers })).status).toBe(500);
		// Another delivery saves the static data meanwhile.
		host.onStart = () => {};
		await send({ body: eventBody(), headers: { 'x-service-delivery': 'other' } });
		expect((await send({ body, headers })).status).toBe(200);
		expect(host.started).toHaveLength(2);
	});

	test('a repeat that comes while the first is failing is taken instead of it', async () => {
		const { host, send } = await published();
		let isFirst = true;
		host.onStart = async () => {
			const fails = isFirst;
			isFirst = false;
			await delay(50);
			if (fails) await Promise.reject(new Error('the database is down'));
		};
		const body = eventBody();
		const answers = await Promise.all([send({ body, headers }), send({ body, headers })]);
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 500]);
		expect(host.started).toHaveLength(1);
	});

	test('a repeat in the very same moment waits as well, and is taken when the first fails', async () => {
		const { host, send } = await published();
		host.holdUntil = 2;
		let isFirst = true;
		host.onStart = async () => {
			const fails = isFirst;
			isFirst = false;
			await delay(50);
			if (fails) await Promise.reject(new Error('the database is down'));
		};
		const body = eventBody();
		const answers = await Promise.all([send({ body, headers }), send({ body, headers })]);
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 500]);
		expect(host.started).toHaveLength(1);
	});

	test.each([
		['is ignored when it was started after that', false],
		['is taken when it could not be started', true],
	])('a repeat of a delivery whose sender has hung up %s', async (_, fails) => {
		const { host, send } = await published();
		let isFirst = true;
		host.onStart = async () => {
			const isToFail = isFirst && fails;
			isFirst = false;
			await delay(300);
			if (isToFail) await Promise.reject(new Error('the database is down'));
		};
		const body = eventBody();
		const hungUp = send({ body, headers, signal: AbortSignal.timeout(100) });
		await expect(hungUp).rejects.toThrow('timeout');
		const { message } = await send({ body, headers });
		expect(message?.includes('Nothing was started') ?? false).toBe(!fails);
		expect(host.started).toHaveLength(1);
	});

	test('a refused delivery is not remembered', async () => {
		const { host, send } = await published();
		const body = eventBody();
		const forged = { ...headers, 'x-service-signature': `sha256=${'a'.repeat(64)}` };
		await send({ body, headers: forged });
		await send({ body, headers });
		expect(host.started).toHaveLength(1);
	});
});

test('what is stored stays small, however many deliveries come', async () => {
	const { host, send } = await published();
	for (let batch = 0; batch < 25; batch += 1) {
		await Promise.all(Array.from({ length: 100 }, () => send({ body: eventBody() })));
	}
	expect(host.started).toHaveLength(2_500);
	expect(host.stored.webhook.length).toBeLessThan(20_000);
}, 60_000);

test('the sandbox delivers its own events to it, as the service would', async () => {
	const { sandbox, host } = await published({
		events: [
			'contact.created',
			'tag.added',
			'message.received',
			'contact.opted_out',
			'form.submitted',
		],
	});
	sandbox.emit.inboundMessage({ phone: '+4915123456789' }, 'Hello');
	const [contact] = [...sandbox.store.contacts.values()];
	sandbox.emit.submitForm(contact.id, 'flow-1', { size: 'L' });
	sandbox.emit.optOut(contact.id);
	await sandbox.settled();
	expect(host.started.map(([{ json }]) => json.event).sort()).toEqual([
		'contact.created',
		'contact.opted_out',
		'form.submitted',
		'message.received',
	]);
	expect(sandbox.deliveries.every(({ state }) => state === 'delivered')).toBe(true);
});
