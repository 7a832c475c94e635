import { signatureOf } from '../../tools/sandbox';
import { delay, http, zlib } from '../../tools/support/platform';
import { deliver, eventBody, type Delivery } from './signedDelivery';
import { jumpingClock } from './support';
import { holdStarts, startTrigger, stopTriggers } from './triggerSetup';
import { TriggerHost, type TriggerHostOptions } from './triggerHost';

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

type Setup = Awaited<ReturnType<typeof published>>;

/** The sender hangs up while n8n holds the start; on a busy machine, it takes a while until n8n notices. */
async function hangUpOnceHeld(
	held: unknown[],
	send: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
	const sender = new AbortController();
	const hungUp = expect(send(sender.signal)).rejects.toThrow('abort');
	await until(() => held.length > 0);
	sender.abort();
	await hungUp;
}

const MINUTE_MS = 60_000;
const ofAnyAge = { options: { maxAge: 0 } };

async function until(isSo: () => boolean): Promise<void> {
	while (!isSo()) await delay(5);
}

describe('output', () => {
	const contact = { id: 'c', phone: '+4915123456789' };
	const message = { wa_message_id: 'm', type: 'text', text: 'Hi', is_new_contact: false };
	const body = eventBody('message.received', { contact, message });
	const { id, created_at } = JSON.parse(body) as { id: string; created_at: string };
	const headers = { 'x-service-delivery': 'dlv-1' };

	test('is one flat item with the parts of the payload at the top', async () => {
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
						// as n8n's AI Agent and its memory expect them
						chatInput: 'Hi',
						sessionId: 'c',
					},
				},
			],
		]);
	});

	test('is the event as received, with the delivery ID, if Simplify is off', async () => {
		const { host, send } = await published({ simplify: false });
		await send({ body, headers });
		expect(host.started).toEqual([
			[{ json: { ...(JSON.parse(body) as object), delivery_id: 'dlv-1' } }],
		]);
	});

	test.each([
		['tag.added', { tag: { id: 7, name: 'vip' } }],
		['form.submitted', { flow_id: '9', answers: [{ question: 'q', answer: 'a' }] }],
		['message.received', ['no', 'object']],
		['message.received', { event: 'inner', id: 'inner' }],
		['message.received', { contact, message: { type: 'image' } }],
		['message.received', { message }],
		['message.received', { constructor: 'a part like any other' }],
	])('keeps all of %s with %j', async (event, data) => {
		const { host, send } = await published({ events: [event] });
		await send({ body: eventBody(event, data) });
		const [[{ json }]] = host.started;
		expect(json.event).toBe(event);
		const isNested = Array.isArray(data) || 'event' in data;
		expect(json).toMatchObject(isNested ? { data } : data);
		expect(json).not.toHaveProperty('chatInput');
		expect(json).not.toHaveProperty('sessionId');
	});

	test('keeps parts of the payload that have the names an agent reads', async () => {
		const { host, send } = await published();
		await send({ body: eventBody('message.received', { contact, message, chatInput: 'its own' }) });
		const [[{ json }]] = host.started;
		expect(json).toMatchObject({ chatInput: 'its own', sessionId: 'c' });
		expect(Object.keys(json).slice(0, 2)).toEqual(['contact', 'message']);
	});

	test('has the event ID as delivery ID if the delivery has none', async () => {
		const { host, send } = await published();
		await send({ body });
		expect(host.started[0][0].json.delivery_id).toBe(id);
	});
});

describe('a delivery without a valid signature gets 401 and starts nothing', () => {
	const body = eventBody();

	test.each([
		['no signature', { 'x-service-signature': undefined }],
		['another algorithm', { 'x-service-signature': `sha1=${'a'.repeat(40)}` }],
		['a wrong one', { 'x-service-signature': `sha256=${'ab'.repeat(32)}` }],
	])('%s', async (_, headers) => {
		const { sandbox, host, send } = await published();
		const [{ secret }] = [...sandbox.store.subscriptions.values()];
		expect(await send({ body, headers })).toEqual({
			status: 401,
			message: 'The signature of the delivery was not accepted',
		});
		expect(host.started).toEqual([]);
		expect(host.log).toHaveLength(1);
		expect(host.log[0]).toMatch(
			/^Workspace CRM: A delivery to the node 'Trigger' of the workflow workflow-1 was refused: /,
		);
		for (const hidden of [secret, 'abab']) expect(host.log[0]).not.toContain(hidden);
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
		expect(host.log.join()).toContain('unpublish the workflow, then publish it');
		expect(host.started).toEqual([]);
	});

	test('a form with files, of which n8n keeps no bytes', async () => {
		const { host, send } = await published();
		const headers = { 'content-type': 'multipart/form-data; boundary=x' };
		expect((await send({ body, headers })).status).toBe(400);
		expect(host.log.join()).toContain('its body could not be read');
		expect(host.started).toEqual([]);
	});
});

test('the answer repeats nothing from the delivery', async () => {
	const { send } = await published();
	const event = `<script>${'x'.repeat(100_000)}</script>`;
	expect(await send({ body: eventBody(event) })).toEqual({
		status: 200,
		message: 'Nothing was started: the event is not chosen',
	});
});

test.each(['', 'application/octet-stream', 'text/html'])(
	'accepts a signed body of any content type: %j',
	async (type) => {
		const { host, send } = await published();
		const headers = { 'content-type': type };
		expect((await send({ body: eventBody(), headers })).status).toBe(200);
		const forged = { ...headers, 'x-service-signature': `sha256=${'0'.repeat(64)}` };
		expect((await send({ body: eventBody(), headers: forged })).status).toBe(401);
		expect(host.started).toHaveLength(1);
	},
);

test.each(['', 'not json', '{"event":""}'])(
	'a signed body of %j gets 400 and starts nothing',
	async (body) => {
		const { host, send } = await published();
		expect((await send({ body })).status).toBe(400);
		expect(host.started).toEqual([]);
	},
);

/** The parts of a delivery as a stream, which is sent in chunks. */
async function* chunksOf(bytes: Buffer) {
	for (const byte of bytes) yield Buffer.of(byte);
}

test.each([
	['as it is', {}, (bytes: Buffer) => bytes],
	['packed', { 'content-encoding': 'gzip' }, (bytes: Buffer) => zlib.gzipSync(bytes)],
	['in chunks', {}, chunksOf],
])('starts for a body with a byte order mark, %s', async (_, headers, send) => {
	const { sandbox, host, origin } = await published({ events: ['tag.added'] });
	const [{ secret }] = [...sandbox.store.subscriptions.values()];
	const bytes = Buffer.from(`\ufeff${eventBody('tag.added', { tag: 'Zoë 🎉' })}\r\n`);
	const response = await fetch(`${origin}${new URL(host.url() ?? '').pathname}`, {
		method: 'POST',
		headers: { ...headers, 'x-service-signature': signatureOf(bytes, secret) },
		body: send(bytes) as RequestInit['body'],
		duplex: 'half',
	} as RequestInit);
	expect(response.status).toBe(200);
	expect(host.started.map(([{ json }]) => json.tag)).toEqual(['Zoë 🎉']);
});

test('a form whose ID no number can hold is found among the chosen ones, and its output has all digits', async () => {
	const id = '12345678901234567';
	const parameters = { events: ['form.submitted'], options: { flowIds: id } };
	const { host, send } = await published(parameters);
	const body = eventBody('form.submitted', { flow_id: 'X' });
	expect((await send({ body: body.replace('"X"', `${id.slice(0, -1)}8`) })).message).toContain(
		'the form is not among the chosen ones',
	);
	expect((await send({ body: body.replace('"X"', id) })).status).toBe(200);
	expect(host.started.map(([{ json }]) => json.flow_id)).toEqual([id]);
});

describe('filters', () => {
	const message = (more: object = {}) => ({
		message: { type: 'text', text: 'Hello, you', is_new_contact: false, ...more },
	});
	const tag = (name: string) => ({ tag: { name } });

	test.each([
		[{ knownTags: ['lead', 'vip'] }, 'tag.added', tag('vip'), tag('VIP')],
		[{ messageTypes: 'text' }, 'message.received', message(), message({ type: 'image' })],
		[{ messageContains: 'price, HELLO' }, 'message.received', message(), message({ text: 'Hell' })],
		[{ onlyNewContacts: true }, 'message.received', message({ is_new_contact: true }), message()],
		[{ flowIds: '9' }, 'form.submitted', { flow_id: 9 }, { flow_id: '8' }],
	])('%j', async (options, event, passing, other) => {
		const { host, send } = await published({ events: [event], options });
		expect((await send({ body: eventBody(event, other) })).message).toMatch(
			/^Nothing was started: /,
		);
		expect((await send({ body: eventBody('contact.created', passing) })).message).toBe(
			'Nothing was started: the event is not chosen',
		);
		expect(host.started).toEqual([]);
		expect((await send({ body: eventBody(event, passing) })).status).toBe(200);
		expect(host.started).toHaveLength(1);
	});

	const agedBody = (minutes: number) =>
		eventBody('message.received', {}, { created_at: new Date(Date.now() - minutes * 60_000) });

	test('skips events older than an hour by default, and says so in the log', async () => {
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

	test('Max Age can be longer, and 0 lets everything through', async () => {
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

	test('takes the age at arrival, however late n8n starts the workflow', async () => {
		const clock = jumpingClock();
		const { host, send } = await published({}, { clock });
		host.onStart = async () => await clock.sleep(24 * 60 * 60_000);
		expect((await send({ body: eventBody() })).status).toBe(200);
		expect(host.started).toHaveLength(1);
	});
});

describe('each delivery starts the workflow once', () => {
	const headers = { 'x-service-delivery': 'dlv-7' };
	const REPEAT = 'Nothing was started: the event has started the workflow before';

	test('while it is starting, repeats get 503; later ones start nothing', async () => {
		const { host, send } = await published();
		const held = holdStarts(host);
		const body = eventBody();
		const first = send({ body, headers });
		await until(() => held.length === 1);
		const repeats = await Promise.all(Array.from({ length: 20 }, () => send({ body, headers })));
		expect(repeats.map(({ status }) => status)).toEqual(Array(20).fill(503));
		held[0].start();
		expect((await first).status).toBe(200);
		expect(await send({ body, headers })).toEqual({ status: 200, message: REPEAT });
		expect(host.started).toHaveLength(1);
	});

	const rename = async ({ host }: Setup, nodeName: string) => {
		host.options.nodeName = nodeName;
		await host.publish();
	};

	test.each<[string, (setup: Setup, body: string) => Promise<Partial<Delivery> | void>]>([
		[
			'even under another delivery ID, which is not signed',
			async () => ({ headers: { 'x-service-delivery': 'another' } }),
		],
		[
			'even if the service formats its next try differently',
			async (_, body) => ({ body: JSON.stringify(JSON.parse(body), null, 1) }),
		],
		['even if the node was renamed', async (setup) => await rename(setup, 'On message')],
		[
			'even if the node has taken the name of a deleted one',
			async (setup) => {
				const { sandbox, host } = setup;
				const others = { nodeId: 'gone', nodeName: 'Gone' };
				const gone = new TriggerHost(sandbox, { ...host.options, ...others });
				gone.known = host.known;
				await gone.publish();
				await gone.unpublish();
				await rename(setup, 'Gone');
			},
		],
	])('%s', async (_, change) => {
		const setup = await published();
		const body = eventBody();
		await setup.send({ body, headers });
		const other = await change(setup, body);
		expect((await setup.send({ body, headers, ...other })).message).toBe(REPEAT);
		expect(setup.host.started).toHaveLength(1);
	});

	test('for two hours, and no longer', async () => {
		const clock = jumpingClock();
		const { host, send } = await published(ofAnyAge, { clock });
		const body = eventBody();
		await send({ body });
		await clock.sleep(119 * MINUTE_MS);
		expect((await send({ body })).message).toBe(REPEAT);
		await clock.sleep(2 * MINUTE_MS);
		expect((await send({ body })).message).toBeUndefined();
		expect(host.started).toHaveLength(2);
	});

	test('once more after a restart of n8n, as a lost event is worse than a repeated one', async () => {
		const { host, send } = await published();
		const body = eventBody();
		await send({ body, headers });
		host.restart();
		for (let repeat = 1; repeat <= 3; repeat += 1) await send({ body, headers });
		expect(host.started).toHaveLength(2);
	});
});

/** The promise: what gets 2xx has started the workflow. */
describe('a delivery that has not started the workflow', () => {
	const headers = { 'x-service-delivery': 'dlv-1' };

	test('because n8n failed is accepted at the next try', async () => {
		const { host, send } = await published();
		const body = eventBody();
		host.onStart = () => Promise.reject(new Error('the database is down'));
		expect((await send({ body, headers })).status).toBe(500);
		host.onStart = () => {};
		expect((await send({ body, headers })).status).toBe(200);
		expect(host.started).toHaveLength(1);
	});

	test.each([
		['is ignored once the workflow was started', false],
		['is accepted once n8n failed to start it', true],
	])('before its sender hung up: a repeat gets 503, and %s', async (_, fails) => {
		const clock = jumpingClock();
		const { host, send } = await published({}, { clock });
		const held = holdStarts(host);
		const body = eventBody();
		await hangUpOnceHeld(held, (signal) => send({ body, headers, signal }));
		// n8n's concurrency limit leaves it in the queue for eleven minutes.
		for (const minutes of [1, 2, 4, 4]) {
			await clock.sleep(minutes * MINUTE_MS);
			expect((await send({ body, headers })).status).toBe(503);
		}
		host.onStart = () => {};
		held[0][fails ? 'fail' : 'start']();
		await until(() => host.settled === 5);
		const { status, message = '' } = await send({ body, headers });
		expect([status, message.includes('Nothing was started')]).toEqual([200, !fails]);
		expect(host.started).toHaveLength(1);
	});

	test("because it was stopped in n8n's queue is accepted two hours later", async () => {
		const clock = jumpingClock();
		const { host, send } = await published(ofAnyAge, { clock });
		const held = holdStarts(host);
		const body = eventBody();
		await hangUpOnceHeld(held, (signal) => send({ body, headers, signal }));
		host.onStart = () => {};
		await clock.sleep(119 * MINUTE_MS);
		expect((await send({ body, headers })).status).toBe(503);
		expect(host.started).toEqual([]);
		await clock.sleep(2 * MINUTE_MS);
		expect((await send({ body, headers })).status).toBe(200);
		expect(host.started).toHaveLength(1);
	});
});

test('a delivery never changes what n8n stores', async () => {
	const { host, send } = await published();
	const { webhook } = host.stored;
	const poller = host.openWriter();
	poller.staticData.global = { counter: 1 };
	poller.save();
	const saved = host.stored.webhook;
	const body = eventBody();
	for (const each of [body, body, eventBody('tag.added')]) await send({ body: each });
	await send({ body, headers: { 'x-service-signature': 'x' } });
	expect(host.started).toHaveLength(1);
	expect(host.stored.webhook).toBe(saved);
	expect(saved).not.toBe(webhook);
});

describe('an unreadable delivery gets 4xx and starts nothing, not even a failed execution', () => {
	const type = { 'content-type': 'application/octet-stream' };

	test.each([
		['said to be gzip and none', { ...type, 'content-encoding': 'gzip' }, 'garbage', 400],
		[
			'half a gzip',
			{ ...type, 'content-encoding': 'gzip' },
			zlib.gzipSync('{}').subarray(0, 12),
			400,
		],
		['over the limit', type, 'x'.repeat(2_000), 413],
		[
			'over the limit once unpacked',
			{ ...type, 'content-encoding': 'gzip' },
			zlib.gzipSync('x'.repeat(2_000)),
			413,
		],
	])('%s', async (_, headers, body, expected) => {
		const { host, origin } = await published({}, { maxBodyBytes: 1_000 });
		const url = `${origin}${new URL(host.url() ?? '').pathname}`;
		const response = await fetch(url, { method: 'POST', headers, body: body as string });
		expect(response.status).toBe(expected);
		expect(host.started).toEqual([]);
		expect(host.failedExecutions).toEqual([]);
	});

	test('an upload that is broken off', async () => {
		const { host, origin } = await published();
		const url = new URL(`${origin}${new URL(host.url() ?? '').pathname}`);
		await new Promise<void>((resolve) => {
			const request = http.request(url, {
				method: 'POST',
				headers: { ...type, 'content-length': '1000' },
			});
			request.on('error', () => resolve());
			request.write('half', () => void delay(50).then(() => request.destroy()));
		});
		await until(() => host.log.length > 0);
		expect(host.log[0]).toContain('its body could not be read');
		expect(host.failedExecutions).toEqual([]);
	});
});
