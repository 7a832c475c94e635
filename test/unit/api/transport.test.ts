import * as fc from 'fast-check';

import type { WaitLimits } from '../../../nodes/WorkspaceCrm/api/rateLimiter';
import { CrmError } from '../../../nodes/WorkspaceCrm/api/crmError';
import { accountIdOf, rateLimiterOf, createRuntime } from '../../../nodes/WorkspaceCrm/api/runtime';
import {
	createTransport,
	type CrmRequest,
	type ItemRequests,
	type Send,
} from '../../../nodes/WorkspaceCrm/api/transport';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/problem';
import { VirtualClock } from '../../support/virtualClock';
import {
	API_KEY,
	BASE_URL,
	failures,
	inTurn,
	json,
	SimulatedService,
	type Answer,
	type Reply,
} from './simulatedService';

const MINUTE_MS = 60_000;
const PATIENT: WaitLimits = { maxQueueWaitMs: Infinity, maxRefusalWaitMs: 5 * MINUTE_MS };
const OK = json({ id: '1' });

const GET: CrmRequest = { method: 'GET', path: '/v1/tags', repeatable: true };
const POST: CrmRequest = { method: 'POST', path: '/v1/messages', body: {}, repeatable: false };
const PATCH: CrmRequest = { method: 'PATCH', path: '/v1/contacts/1', body: {}, repeatable: true };
const DELETE: CrmRequest = { method: 'DELETE', path: '/v1/contacts/1', repeatable: true };

interface Settings {
	waitLimits?: WaitLimits;
	/** By the context of n8n. */
	stop?: AbortSignal;
	/** By whoever makes the transport. */
	signal?: AbortSignal;
	credential?: object;
	clock?: VirtualClock;
}

type BodyOf = (...request: Parameters<Send>) => Promise<unknown>;

async function start(reply: Reply, settings: Settings = {}) {
	const { waitLimits = PATIENT, clock = new VirtualClock(), signal } = settings;
	const service = new SimulatedService(clock, reply, settings);
	const runtime = createRuntime(clock);
	const another = async () => await createTransport(service.context, runtime, waitLimits, signal);
	const { send: ask, usage } = await another();
	const send: BodyOf = async (...request) => (await ask(...request)).body;
	return { service, clock, runtime, send, ask, usage, another };
}

/** What the requests of an input item have in common. */
function itemWith(mayBegin?: AbortSignal): ItemRequests {
	return {
		...(mayBegin && { mayBegin }),
		changes: new Set(),
		fail: (error) => {
			throw error;
		},
	};
}

async function failureOf(sending: Promise<unknown>): Promise<CrmError> {
	const error = await sending.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	if (error instanceof CrmError) return error;
	throw new Error(`It should have failed, and gave ${String(error)}`);
}

/** An answer that takes some time. */
function after(delayMs: number, answer: Answer | Error, clock: VirtualClock): Reply {
	return async () => {
		await clock.sleep(delayMs);
		return answer;
	};
}

describe('what is sent', () => {
	it('goes to the path below the base URL, and says that it wants JSON', async () => {
		const { send, service } = await start(inTurn(OK), {
			credential: { baseUrl: ` ${BASE_URL}/crm/v1/ ` },
		});
		expect(await send(GET)).toEqual({ id: '1' });
		const [{ options }] = service.sent;
		expect(options).toMatchObject({ method: 'GET', url: `${BASE_URL}/crm/v1/tags` });
		expect(options.headers).toEqual({ Accept: 'application/json' });
		expect(options).not.toHaveProperty('body');
	});

	it('has its query encoded in the URL, and no question mark where there is none', async () => {
		const { send, service } = await start(inTurn(OK));
		await send({ ...GET, query: { phone: '+49 & co', limit: 100 } });
		await send({ ...GET, query: {} });
		await send(GET);
		expect(service.urls).toEqual(['/v1/tags?phone=%2B49+%26+co&limit=100', '/v1/tags', '/v1/tags']);
	});

	it('has its body as the text of JSON, also where that is an empty object', async () => {
		const { send, service } = await start(inTurn(OK));
		await send({ ...POST, body: { name: 'Ann', at: 5n } });
		await send({ ...POST, body: {} });
		expect(service.sent.map(({ options }) => options.body)).toEqual([
			'{"name":"Ann","at":"5"}',
			'{}',
		]);
		for (const { options } of service.sent) {
			expect(options.headers).toEqual({
				Accept: 'application/json',
				'Content-Type': 'application/json',
			});
		}
	});

	it('never has a key that cannot be sent as it is', async () => {
		const starting = start(inTurn(OK), { credential: { apiKey: `${API_KEY}\u200b` } });
		await expect(starting).rejects.toThrow('contains a character that cannot be sent');
	});

	it('never goes to a base URL that cannot be used', async () => {
		await expect(start(inTurn(OK), { credential: { baseUrl: 'ftp://a' } })).rejects.toThrow(
			InputProblem,
		);
	});

	it('comes back with its status, and as undefined where the answer is empty', async () => {
		const { ask } = await start(inTurn({ statusCode: 204 }, json({ id: '1' }, 201)));
		expect(await ask(DELETE)).toEqual({ status: 204, body: undefined });
		expect(await ask(GET)).toEqual({ status: 201, body: { id: '1' } });
	});
});

describe('the key', () => {
	it('is in no error, also where the one of the credential has blanks around it', async () => {
		const { send } = await start(inTurn(json({ detail: `not ${API_KEY}!` }, 422)), {
			credential: { apiKey: ` ${API_KEY}\n` },
		});
		const { description } = await failureOf(send(POST));
		expect(description).toContain('"not (the API key)!"');
	});

	it('has one rateLimiter for all who use it at this service', async () => {
		const { runtime, another } = await start(inTurn(OK), {
			credential: { apiKey: ` ${API_KEY} ` },
		});
		await another();
		expect(runtime.rateLimiters.size).toBe(1);
		const [rateLimiter] = runtime.rateLimiters.values();
		expect(rateLimiterOf(runtime, accountIdOf(BASE_URL, API_KEY))).toBe(rateLimiter);
	});
});

describe('a failure', () => {
	/** What comes back; whether a repeatable request is sent again; whether any other is. */
	const table: Array<[string, Answer | Error, boolean, boolean]> = [
		['400', json({}, 400), false, false],
		['404', json({}, 404), false, false],
		['422', json({}, 422), false, false],
		['301', json({}, 301), false, false],
		['408', json({}, 408), true, false],
		['500', json({}, 500), true, false],
		['503', json({}, 503), true, false],
		['a web page', { statusCode: 200, body: '<html>' }, false, false],
		['a broken connection', failures.broken(), true, false],
		['no connection', failures.unreachable(), true, true],
		["n8n's refusal", failures.notSent(), false, false],
	];

	it.each(table)(
		'by %s is sent again, twice at most, only where that does no harm',
		async (...row) => {
			const [, reply, isRepeated, isAlwaysRepeated] = row;
			for (const [request, mayRepeat] of [
				[GET, isRepeated],
				[PATCH, isRepeated],
				[{ ...GET, repeatable: false }, isAlwaysRepeated],
				[POST, isAlwaysRepeated],
			] as const) {
				const { send, service, usage } = await start(inTurn(reply));
				await failureOf(send(request));
				expect(service.timesMs).toEqual(mayRepeat ? [0, 500, 1_500] : [0]);
				expect(usage).toEqual(
					mayRepeat ? { requests: 3, waitedMs: 1_500 } : { requests: 1, waitedMs: 0 },
				);
			}
		},
	);

	it('is forgotten where a later try succeeds', async () => {
		const { send, service, usage } = await start(inTurn(failures.broken(), json({}, 502), OK));
		expect(await send({ ...PATCH, body: { name: 'Ann' }, query: { a: 1 } })).toEqual({ id: '1' });
		expect(usage).toEqual({ requests: 3, waitedMs: 1_500 });
		for (const { options } of service.sent) {
			expect(options).toMatchObject({ method: 'PATCH', body: '{"name":"Ann"}' });
			expect(options.url).toBe(`${BASE_URL}/v1/contacts/1?a=1`);
		}
	});

	it('is waited for between a half and the whole of its time, by chance', async () => {
		const clock = new VirtualClock(0, () => 0.5);
		const { send, service } = await start(inTurn(json({}, 500)), { clock });
		await failureOf(send(GET));
		expect(service.timesMs).toEqual([0, 750, 2_250]);
	});

	it('is repeated when the service asks for it, and not where that is too long', async () => {
		const busy = (seconds: string) => json({}, 503, { 'retry-after': seconds });
		const { send, service } = await start(inTurn(busy('20'), busy('300'), busy('301')));
		await failureOf(send(GET));
		expect(service.timesMs).toEqual([0, 20_000, 320_000]);
	});

	it('ends in an error that names the base URL, the service and what may have happened', async () => {
		const { send } = await start(inTurn({ statusCode: 200, body: '<html>' }));
		const error = await failureOf(send(POST));
		expect(error.message).toBe('It is not known whether this was done');
		expect(error.description).toContain('a web page instead of JSON');
		expect(error.description).toContain(`(${BASE_URL})`);
		expect(error.mayHaveHappened).toBe(true);
		expect((await failureOf(send(GET))).mayHaveHappened).toBe(false);
	});
});

describe('a refusal by the rate limit', () => {
	const refused = (seconds?: number) =>
		json({}, 429, seconds === undefined ? {} : { 'retry-after': String(seconds) });

	it.each([GET, POST])('is repeated after the time it asks for: %j', async (request) => {
		const { send, service, usage } = await start(inTurn(refused(7), refused(0), OK));
		expect(await send(request)).toEqual({ id: '1' });
		expect(service.timesMs).toEqual([0, 7_000, 8_000]);
		expect(usage).toEqual({ requests: 3, waitedMs: 8_000 });
	});

	it('that asks for no time is waited for longer each time, for five minutes in all', async () => {
		const { send, service } = await start(inTurn(refused()));
		const error = await failureOf(send(POST));
		expect(service.timesMs).toEqual(
			[0, 5, 15, 35, 75, 135, 195, 255].map((seconds) => seconds * 1_000),
		);
		expect(error.status).toBe(429);
		expect(error.mayHaveHappened).toBe(false);
	});

	it('is waited for as long as the waitLimits lasts, and not a moment longer', async () => {
		const waitLimits = { maxQueueWaitMs: Infinity, maxRefusalWaitMs: 10_000 };
		const enough = await start(inTurn(refused(4), refused(6), OK), { waitLimits });
		expect(await enough.send(GET)).toEqual({ id: '1' });
		const tooMuch = await start(inTurn(refused(4), refused(7), OK), { waitLimits });
		const error = await failureOf(tooMuch.send(GET));
		expect(tooMuch.service.timesMs).toEqual([0, 4_000]);
		expect(error.retryAfterMs).toBe(7_000);
	});

	it('does not count among the tries that failed', async () => {
		const replies = [refused(1), failures.broken(), refused(1), json({}, 500), refused(1)];
		const { send, service } = await start(inTurn(...replies, OK));
		expect(await send(GET)).toEqual({ id: '1' });
		expect(service.sent).toHaveLength(6);
		const failing = await start(inTurn(...replies, json({}, 503), OK));
		expect((await failureOf(failing.send(GET))).status).toBe(503);
		expect(failing.service.sent).toHaveLength(6);
	});

	it('makes all wait who use the key', async () => {
		const { send, service, usage, another, clock } = await start(inTurn(refused(40), OK));
		const other = await another();
		const first = send(GET);
		await clock.sleep(1_000);
		await Promise.all([first, other.send(GET)]);
		expect(service.timesMs).toEqual([0, 40_000, 40_000]);
		expect(usage).toEqual({ requests: 2, waitedMs: 40_000 });
		expect(other.usage).toEqual({ requests: 1, waitedMs: 39_000 });
	});

	it('tells who comes later at once, when the wait is too long for them', async () => {
		const waitLimits = { maxQueueWaitMs: 10_000, maxRefusalWaitMs: 10_000 };
		const { send, service, another, usage } = await start(inTurn(refused(40)), { waitLimits });
		await failureOf(send(GET));
		const later = await another();
		const error = await failureOf(later.send(POST));
		expect(error.status).toBe(429);
		expect(error.retryAfterMs).toBe(40_000);
		expect(error.description).toContain('Wait 40 seconds');
		expect(error.mayHaveHappened).toBe(false);
		expect(service.sent).toHaveLength(1);
		expect(usage.requests).toBe(1);
		expect(later.usage).toEqual({ requests: 0, waitedMs: 0 });
	});
});

describe('the rate limit of the key', () => {
	const LIMIT = 120;
	const inHurry: WaitLimits = { maxQueueWaitMs: 10_000, maxRefusalWaitMs: 10_000 };
	const many = <T>(count: number, make: () => Promise<T>) =>
		Promise.all(Array.from({ length: count }, make));

	it.each([
		['a success', OK],
		['a refusal of the request', json({}, 422)],
		['a problem of the service', json({}, 500)],
		['a broken connection', failures.broken()],
		['an answer that cannot be read', { statusCode: 200, body: '<html>' }],
	])('has the slot back a minute after %s, and not before', async (_name, reply) => {
		const refused = json({}, 429, { 'retry-after': '60' });
		const replies = [...Array.from({ length: LIMIT }, () => reply), refused, reply];
		const { send, service, clock } = await start(inTurn(...replies), { waitLimits: inHurry });
		const all = async () => await many(LIMIT + 10, async () => await send(POST).catch(() => {}));
		await all();
		// A probe goes when a bucket would have its next token.
		expect(service.timesMs).toEqual([...Array<number>(LIMIT).fill(0), 500]);
		await clock.sleep(MINUTE_MS);
		const startMs = clock.elapsedMs();
		await many(LIMIT, async () => await send(POST).catch(() => {}));
		expect(service.timesMs.slice(LIMIT + 1)).toEqual(Array<number>(LIMIT).fill(startMs));
	});

	it.each([
		['there was no connection', failures.unreachable()],
		['n8n did not let it out', failures.notSent()],
	])('has the slot back at once where %s', async (_name, failure) => {
		const reply: Reply = ({ options }) => (options.method === 'POST' ? failure : OK);
		const { send, service, clock } = await start(reply);
		await many(LIMIT, async () => await send(POST).catch(() => {}));
		const startMs = clock.elapsedMs();
		await many(LIMIT, async () => await send(GET));
		expect(service.timesMs.slice(-LIMIT)).toEqual(Array<number>(LIMIT).fill(startMs));
	});

	it('that others use up for too long is a refusal of which the service knows nothing', async () => {
		const clock = new VirtualClock();
		const { send, service, usage, another } = await start(after(MINUTE_MS / 2, OK, clock), {
			clock,
			waitLimits: inHurry,
		});
		const others = await another();
		const busy = many(LIMIT, async () => await others.send(GET));
		await clock.sleep(9_000);
		expect(service.sent).toHaveLength(LIMIT);
		const error = await failureOf(send(POST));
		expect(error.message).toContain('rate limit');
		expect(error.description).toContain('Workflows that run at the moment');
		expect(error.status).toBeUndefined();
		expect(error.mayHaveHappened).toBe(false);
		expect(usage).toEqual({ requests: 0, waitedMs: 10_000 });
		await busy;
		expect(service.sent).toHaveLength(LIMIT);
	});

	it('is shared by turns: a run of one request need not wait for a run of many', async () => {
		const { send, service, another } = await start(inTurn(OK));
		const other = await another();
		const long = many(3 * LIMIT, async () => await send(GET));
		const short = other.send(PATCH);
		await short;
		expect(service.sent.length).toBeLessThan(2 * LIMIT);
		await long;
	});
});

describe('the time that a run stands still', () => {
	const busy = (seconds: number) => json({}, 503, { 'retry-after': String(seconds) });

	it('is that in which at least one waits', async () => {
		const waits = fc.array(
			fc.record({ fromMs: fc.nat(30).map((s) => s * 1_000), seconds: fc.nat(20) }),
			{ minLength: 1, maxLength: 5 },
		);
		await fc.assert(
			fc.asyncProperty(waits, async (all) => {
				const failed = new Set<string>();
				const reply: Reply = ({ options }) => {
					if (failed.has(options.url)) return OK;
					failed.add(options.url);
					return busy(Number(options.url.split('=')[1]));
				};
				const { send, usage, clock } = await start(reply);
				await Promise.all(
					all.map(async ({ fromMs, seconds }, index) => {
						await clock.sleep(fromMs);
						await send({ ...GET, path: `/v1/${index}`, query: { seconds } });
					}),
				);
				// Every half second in which one of them waits; no wait is shorter than that.
				let expectedMs = 0;
				for (let ms = 0; ms < 60_000; ms += 500) {
					const isWaiting = all.some(
						({ fromMs, seconds }) => fromMs <= ms && ms < fromMs + Math.max(500, seconds * 1_000),
					);
					if (isWaiting) expectedMs += 500;
				}
				expect(usage.waitedMs).toBe(expectedMs);
			}),
		);
	});

	it('does not hold the time of the requests themselves', async () => {
		const clock = new VirtualClock();
		const { send, usage } = await start(after(3_000, OK, clock), { clock });
		await send(GET);
		await send(GET);
		expect(usage).toEqual({ requests: 2, waitedMs: 0 });
		expect(clock.elapsedMs()).toBe(6_000);
	});
});

describe('stopping the execution', () => {
	it.each(['stop', 'signal'] as const)(
		'ends a wait within a quarter of a second: %s',
		async (by) => {
			const controller = new AbortController();
			const { send, service, clock, usage } = await start(inTurn(json({}, 500)), {
				[by]: controller.signal,
				clock: new VirtualClock(0, () => 1 - Number.EPSILON),
			});
			const sending = send(GET);
			sending.catch(() => {});
			await clock.sleep(300);
			controller.abort(new Error('stopped'));
			await expect(sending).rejects.toThrow('stopped');
			expect(clock.elapsedMs()).toBe(500);
			expect(service.sent).toHaveLength(1);
			expect(usage.waitedMs).toBe(500);
		},
	);

	it('ends the wait for the rate limit at once', async () => {
		const controller = new AbortController();
		const { send, service, clock, usage } = await start(
			inTurn(json({}, 429, { 'retry-after': '60' })),
			{ stop: controller.signal },
		);
		const sending = send(GET);
		sending.catch(() => {});
		await clock.sleep(300);
		controller.abort(new Error('stopped'));
		await expect(sending).rejects.toThrow('stopped');
		expect(service.sent).toHaveLength(1);
		expect(usage.waitedMs).toBe(300);
		// What came of it is not counted as a wait that goes on.
		await clock.sleep(1_000);
		expect(usage.waitedMs).toBe(300);
	});

	it('ends the request that is under way, and is no failure of it', async () => {
		const controller = new AbortController();
		const { send, service, clock } = await start(
			async ({ options }) =>
				await new Promise((resolve) => {
					options.abortSignal?.addEventListener?.('abort', () => resolve(failures.broken()));
				}),
			{ stop: controller.signal },
		);
		const sending = send(POST);
		sending.catch(() => {});
		await clock.sleep(300);
		controller.abort(new Error('stopped'));
		await expect(sending).rejects.toThrow('stopped');
		expect(service.sent).toHaveLength(1);
	});

	it('keeps what was done already', async () => {
		const controller = new AbortController();
		const { send } = await start(
			() => {
				controller.abort();
				return OK;
			},
			{ stop: controller.signal },
		);
		expect(await send(POST)).toEqual({ id: '1' });
	});

	it('is not possible where n8n has no signal, and nothing else changes', async () => {
		const clock = new VirtualClock();
		const service = new SimulatedService(clock, inTurn(json({}, 500), OK));
		delete (service.context as Partial<typeof service.context & { getExecutionCancelSignal: 1 }>)
			.getExecutionCancelSignal;
		const { send } = await createTransport(service.context, createRuntime(clock), PATIENT);
		expect((await send(GET)).body).toEqual({ id: '1' });
	});
});

describe('an input item', () => {
	it('that may not begin any more sends nothing', async () => {
		const { send, service, usage } = await start(inTurn(OK));
		const item = itemWith(AbortSignal.abort(new Error('all is over')));
		await expect(send(GET, item)).rejects.toThrow('all is over');
		expect(service.sent).toHaveLength(0);
		expect(usage.requests).toBe(0);
	});

	it('that has begun goes on, and waits for the rate limit as often as it must', async () => {
		const over = new AbortController();
		const item = itemWith(over.signal);
		const { send, service } = await start((_sent, index) => {
			over.abort(new Error('all is over'));
			return index === 0 ? json({}, 429, { 'retry-after': '5' }) : OK;
		});
		expect(await send(GET, item)).toEqual({ id: '1' });
		expect(await send(GET, item)).toEqual({ id: '1' });
		expect(service.sent).toHaveLength(3);
	});

	it('waits by its own signal only up to its first request, then by that of the run', async () => {
		const stop = new AbortController();
		const item = itemWith(new AbortController().signal);
		const { send, service, clock } = await start(
			inTurn(json({}, 429, { 'retry-after': '60' }), OK),
			{ stop: stop.signal },
		);
		const sending = send(GET, item);
		sending.catch(() => {});
		await clock.sleep(1_000);
		stop.abort(new Error('stopped'));
		await expect(sending).rejects.toThrow('stopped');
		expect(service.sent).toHaveLength(1);
	});

	it.each<[string, Answer | Error, boolean]>([
		['a success', OK, true],
		['an empty success', { statusCode: 204 }, true],
		['a problem of the service', json({}, 500), true],
		['a broken connection', failures.broken(), true],
		['an answer that cannot be read', { statusCode: 200, body: 'ok' }, true],
		['a refusal', json({}, 422), false],
		['a record that does not exist', json({}, 404), false],
		['no connection', failures.unreachable(), false],
		["n8n's refusal", failures.notSent(), false],
	])('knows what it has changed, or may have: by %s', async (_name, reply, isChanged) => {
		for (const request of [POST, PATCH, DELETE]) {
			const { send } = await start(inTurn(reply));
			const item = itemWith();
			await send(request, item).catch(() => {});
			expect([...item.changes]).toEqual(isChanged ? [request.path] : []);
		}
		const { send } = await start(inTurn(reply));
		const item = itemWith();
		await send(GET, item).catch(() => {});
		expect([...item.changes]).toEqual([]);
	});

	it('has changed nothing by what the rate limit refused', async () => {
		const { send } = await start(inTurn(json({}, 429, { 'retry-after': '900' })));
		const item = itemWith();
		await failureOf(send(POST, item));
		expect([...item.changes]).toEqual([]);
	});
});

describe('a deletion', () => {
	const missing = json({ detail: 'Not found' }, 404);

	it.each([json({}, 500), failures.broken()])(
		'that may have worked is done when the record does not exist then',
		async (unclear) => {
			const { send, usage } = await start(inTurn(unclear, missing));
			expect(await send(DELETE)).toBeUndefined();
			expect(usage.requests).toBe(2);
		},
	);

	it('that an earlier try of the item made is done when the record does not exist now', async () => {
		const { send } = await start(inTurn({ statusCode: 204 }, missing));
		const item = itemWith();
		await send(DELETE, item);
		expect(await send(DELETE, item)).toBeUndefined();
		const { status } = await failureOf(send({ ...DELETE, path: '/v1/contacts/2' }, item));
		expect(status).toBe(404);
		expect((await failureOf(send(DELETE))).status).toBe(404);
	});

	it('of a record that did not exist before is not done', async () => {
		const { send } = await start(inTurn(missing));
		expect((await failureOf(send(DELETE))).status).toBe(404);
		const refused = await start(inTurn(failures.unreachable(), missing));
		expect((await failureOf(refused.send(DELETE))).status).toBe(404);
	});

	it('is the only request that a missing record fulfils', async () => {
		const { send } = await start(inTurn(json({}, 500), missing));
		expect((await failureOf(send(PATCH))).status).toBe(404);
	});

	it('is not done by any other refusal', async () => {
		const { send } = await start(inTurn(json({}, 500), json({}, 410)));
		expect((await failureOf(send(DELETE))).status).toBe(410);
	});
});
