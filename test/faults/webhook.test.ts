import fc from 'fast-check';

import { systemClock } from '../../nodes/WorkspaceCrm/n8n/systemClock';
import type { Clock } from '../../nodes/WorkspaceCrm/crm/clock';
import { signatureOf } from '../../tools/sandbox';
import { UNSEEN } from '../support/hostileTexts';
import { startTrigger, stopTriggers } from '../workflow/triggerSetup';
import { hostileTexts, hostileValues } from './hostileValues';

const RUNS = 150;
const SEED = 20_261_121;

/** Accepted, refused or unreadable; never an internal error. */
const CALM = [200, 400, 401, 413, 415, 422];

afterEach(async () => await stopTriggers());

type Setup = Awaited<ReturnType<typeof published>>;

/** A minute passes each time the clock is read, so that every line is logged and can be checked. */
function clockOfMinutes(): Clock {
	let elapsedMs = 0;
	return { ...systemClock, elapsedMs: () => (elapsedMs += 60_000) };
}

async function published() {
	const setup = await startTrigger({
		parameters: { events: ['message.received'] },
		clock: clockOfMinutes(),
	});
	await setup.host.publish();
	const [{ secret }] = [...setup.sandbox.store.subscriptions.values()];
	const path = new URL(setup.host.url() ?? '').pathname;
	return { ...setup, secret, path };
}

interface Delivery {
	body: Buffer;
	headers: Record<string, string>;
}

/** Sends any bytes with any headers. Returns the status and the text of the answer. */
async function post({ origin, path }: Setup, { body, headers }: Delivery) {
	const options = { method: 'POST', headers: { ...headers, connection: 'close' }, body };
	const response = await fetch(origin + path, options);
	return { status: response.status, text: await response.text() };
}

const anyBodies = fc.oneof(
	fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
	hostileTexts.map((text) => Buffer.from(text)),
	hostileValues.map((value) => Buffer.from(JSON.stringify(value) ?? '')),
);

/** Bodies that look like deliveries, with anything in their fields. */
const envelopes = fc
	.record(
		{
			id: hostileValues,
			event: fc.oneof(fc.constant('message.received'), hostileValues),
			created_at: hostileValues,
			data: hostileValues,
			['__proto__']: hostileValues,
		},
		{ requiredKeys: [] },
	)
	.map((envelope) => Buffer.from(JSON.stringify(envelope)));

/** Texts that the value of a header can contain. */
const headerTexts = hostileTexts
	.map((text) => text.replace(/[^\t\x20-\x7e]/g, '').slice(0, 2_000))
	.filter((text) => text.trim() === text);

const anyHeaders = fc.record(
	{
		'content-type': fc.oneof(
			fc.constantFrom(
				'application/json',
				'application/json; charset=utf-7',
				'text/plain',
				'text/xml',
				'application/x-www-form-urlencoded',
				'multipart/form-data; boundary=x',
			),
			headerTexts,
		),
		'content-encoding': fc.constantFrom('identity', 'gzip', 'br', 'x'),
		'x-service-event': headerTexts,
		'x-service-delivery': headerTexts,
		'x-forwarded-host': headerTexts,
		'x-forwarded-proto': headerTexts,
	},
	{ requiredKeys: [] },
);

const wrongSignatures = fc.oneof(
	fc.constant(undefined),
	headerTexts,
	headerTexts.map((text) => `sha256=${text}`),
	fc.stringMatching(/^[0-9a-f]{64}$/).map((hex) => `sha256=${hex}`),
);

test('deliveries without the right signature start nothing', async () => {
	const setup = await published();
	const property = fc.asyncProperty(
		fc.oneof(anyBodies, envelopes),
		anyHeaders,
		wrongSignatures,
		async (body, headers, signature) => {
			const all = {
				...headers,
				...(signature !== undefined && { 'x-service-signature': signature }),
			};
			const { status, text } = await post(setup, { body, headers: all });
			expect(CALM.filter((calm) => calm !== 200)).toContain(status);
			expect(text).not.toContain(setup.secret);
			expect(setup.host.started).toEqual([]);
		},
	);
	await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: true });
	expect(setup.host.log.length).toBeGreaterThan(RUNS / 2);
	for (const line of setup.host.log) expect(line).not.toMatch(UNSEEN);
	expectNoSecret(setup);
});

test('any signed body is accepted or refused, and starts at most one run', async () => {
	const setup = await published();
	const property = fc.asyncProperty(
		fc.oneof(anyBodies, envelopes),
		anyHeaders,
		async (body, headers) => {
			const before = setup.host.started.length;
			const signature = signatureOf(body, setup.secret);
			const all = { ...headers, 'x-service-signature': signature };
			const { status } = await post(setup, { body, headers: all });
			expect(CALM).toContain(status);
			const started = setup.host.started.length - before;
			expect(started).toBeLessThanOrEqual(status === 200 ? 1 : 0);
			if (started === 0) return;
			const [[{ json }]] = [setup.host.started[before]];
			expect(typeof json.event).toBe('string');
		},
	);
	await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: true });
	expect(setup.host.started.length).toBeGreaterThan(0);
	expectNoSecret(setup);
	expect(Object.keys(Object.prototype)).toEqual([]);
});

/** The signing secret is only in what n8n keeps for the trigger. */
function expectNoSecret({ host, secret, sandbox }: Setup): void {
	const texts = [...host.log, JSON.stringify(host.started)];
	expect(texts.filter((text) => text.includes(secret) || text.includes(sandbox.apiKey))).toEqual(
		[],
	);
}
