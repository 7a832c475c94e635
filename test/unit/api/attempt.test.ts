import * as fc from 'fast-check';
import type { IHttpRequestOptions } from 'n8n-workflow';

import { createAttempt } from '../../../nodes/WorkspaceCrm/api/attempt';
import { redactor } from '../../../nodes/WorkspaceCrm/api/redact';
import { VirtualClock } from '../../support/virtualClock';
import {
	API_KEY,
	failures,
	inTurn,
	json,
	SimulatedService,
	type Answer,
	type Reply,
	type Sent,
} from './simulatedService';
import { anyCharacter } from '../../support/anyCharacter';

const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5);
const GET: IHttpRequestOptions = { method: 'GET', url: 'https://crm.example.com/v1/tags' };

async function attemptWith(reply: Reply, settings: Settings = {}) {
	const { secret = API_KEY, redact = redactor(secret, '(the API key)'), stop } = settings;
	const clock = new VirtualClock(NOW_MS);
	const service = new SimulatedService(clock, reply);
	const outcome = await createAttempt(service.context, redact, clock, stop)(GET);
	return { outcome, service, tookMs: clock.elapsedMs() - NOW_MS };
}

interface Settings {
	secret?: string;
	redact?: (text: string) => string;
	stop?: AbortSignal;
}

async function outcomeOf(reply: Answer | Error, settings?: Settings) {
	return (await attemptWith(inTurn(reply), settings)).outcome;
}

/** A service that never answers: n8n throws once the signal of the request ends it. */
const silence: Reply = async ({ options }) =>
	await new Promise((resolve) => {
		options.abortSignal?.addEventListener?.('abort', () => resolve(failures.broken('aborted')));
	});

describe('a try of a request', () => {
	it('is one request, as it was asked for, with the key of the credential', async () => {
		const { service } = await attemptWith(inTurn(json({})));
		expect(service.sent).toHaveLength(1);
		expect(service.sent[0].options).toMatchObject(GET);
		expect(service.sent[0].credentialType).toBe('workspaceCrmApi');
	});

	it('asks n8n for the answer as a stream, whatever its status is', async () => {
		const { service } = await attemptWith(inTurn(json({})));
		expect(service.sent[0].options).toMatchObject({
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			encoding: 'stream',
		});
	});

	it('gives n8n its own signal in place of the one of the execution, and all else as it is', async () => {
		const { service } = await attemptWith(inTurn(json({})));
		const { context, options } = service.sent[0];
		expect(options.abortSignal).toBeInstanceOf(AbortSignal);
		expect(
			'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined,
		).toBe(options.abortSignal);
		expect(context.getCredentials).toBe(service.context.getCredentials);
	});

	it('ends after a minute, and then may have taken effect', async () => {
		const { outcome, service, tookMs } = await attemptWith(silence);
		expect(outcome).toMatchObject({ failure: { kind: 'timeout' } });
		expect(tookMs).toBe(60_000);
		expect(service.sent[0].options.timeout).toBe(60_000);
	});

	it('ends at once when it is stopped, and was not too slow then', async () => {
		const stop = new AbortController();
		const { outcome, tookMs } = await attemptWith(
			async (sent: Sent, index) => {
				queueMicrotask(() => stop.abort());
				return await silence(sent, index);
			},
			{ stop: stop.signal },
		);
		expect(outcome).toMatchObject({ failure: { kind: 'broken' } });
		expect(tookMs).toBe(0);
	});

	it('shares its limit with those that begin within the same second, and with no others', async () => {
		const clock = new VirtualClock(NOW_MS);
		const service = new SimulatedService(clock, inTurn(json({}), json({}), json({}), json({})));
		const { signal: stop } = new AbortController();
		const attempt = createAttempt(service.context, (text) => text, clock, stop);
		for (const delayMs of [0, 999, 1, 0]) {
			await clock.sleep(delayMs);
			await attempt(GET);
		}
		const signals = service.sent.map(({ options }) => options.abortSignal);
		expect(signals[1]).toBe(signals[0]);
		expect(signals[2]).not.toBe(signals[0]);
		expect(signals[3]).toBe(signals[2]);
	});

	it('has its own limit where the last has passed, also if no time has', async () => {
		const limits: AbortController[] = [];
		const signalAfter = () => limits[limits.push(new AbortController()) - 1].signal;
		const clock = Object.assign(new VirtualClock(NOW_MS), { signalAfter });
		const service = new SimulatedService(clock, inTurn(json({}), json({})));
		const attempt = createAttempt(service.context, (text) => text, clock);
		await attempt(GET);
		limits[0].abort();
		await attempt(GET);
		expect(service.sent[1].options.abortSignal?.aborted).toBe(false);
	});

	it('that n8n throws at is a failure, by how far it got', async () => {
		expect(await outcomeOf(failures.broken())).toMatchObject({ failure: { kind: 'broken' } });
		expect(await outcomeOf(failures.unreachable())).toEqual({
			failure: { kind: 'unreachable', reason: 'the connection was refused (ECONNREFUSED)' },
		});
		expect(await outcomeOf(failures.notSent())).toEqual({
			failure: { kind: 'notSent', reason: 'Not allowed' },
		});
	});
});

describe('an answer of success', () => {
	it.each([200, 201, 204, 299])('with status %i is its JSON', async (statusCode) => {
		expect(await outcomeOf(json({ id: '1' }, statusCode))).toEqual({
			status: statusCode,
			body: { id: '1' },
		});
		expect(await outcomeOf({ statusCode, body: ' [1]\n' })).toEqual({
			status: statusCode,
			body: [1],
		});
		expect(await outcomeOf({ statusCode, body: 'null' })).toEqual({
			status: statusCode,
			body: null,
		});
		expect(await outcomeOf({ statusCode, body: 'false' })).toEqual({
			status: statusCode,
			body: false,
		});
	});

	it.each(['', ' \n', undefined])('is undefined where it is empty: %j', async (body) => {
		expect(await outcomeOf({ statusCode: 200, body })).toEqual({ status: 200, body: undefined });
	});

	it.each([
		['<!doctype html>', 'page'],
		[' \n<html>', 'page'],
		['{"id": 1', 'broken'],
		['[1,', 'broken'],
		[' \n{"id": 1', 'broken'],
		['OK', 'text'],
		['Sorry, <b>busy</b>', 'text'],
		['Sorry, [busy]', 'text'],
		['Sorry{', 'text'],
	])('that is no JSON is a failure: %j is %s', async (body, content) => {
		const failure = { kind: 'unreadable', status: 201, content };
		expect(await outcomeOf({ statusCode: 201, body })).toEqual({ failure });
	});

	it('may come in pieces of any size, also within a character, and with a byte order mark', async () => {
		const size = fc.integer({ min: 1, max: 9 });
		await fc.assert(
			fc.asyncProperty(
				fc.jsonValue(),
				fc.string({ unit: anyCharacter }),
				size,
				async (value, text, most) => {
					const given = { value, text: text.toWellFormed() };
					const bytes = Buffer.from(`\ufeff${JSON.stringify(given)}`);
					const pieces = Array.from({ length: Math.ceil(bytes.length / most) }, (_, index) =>
						bytes.subarray(index * most, (index + 1) * most),
					);
					const { body } = (await outcomeOf({ statusCode: 200, body: pieces })) as {
						body: unknown;
					};
					expect(body).toEqual(JSON.parse(JSON.stringify(given)));
				},
			),
		);
	});
});

describe('the charset of an answer', () => {
	const answer = (text: string, encoding: BufferEncoding, contentType?: string) =>
		outcomeOf({
			statusCode: 200,
			headers: contentType === undefined ? {} : { 'content-type': contentType },
			body: [Buffer.from(text, encoding)],
		});
	const TEXT = '{"name":"Zoë Löwe"}';
	const read = { status: 200, body: { name: 'Zoë Löwe' } };

	it.each([
		['utf8', undefined],
		['utf8', 'application/json'],
		['utf8', 'application/json; charset=utf-8'],
		['utf8', 'application/json;charset="UTF8"; odd=1'],
		['utf8', 'text/plain; charset=nonsense'],
		['utf8', "application/json; charset='utf-8'"],
		['latin1', 'application/json; charset=ISO-8859-1'],
		['utf16le', 'application/json; charset=utf-16le'],
	] as const)('%s, called %s', async (encoding, contentType) => {
		expect(await answer(TEXT, encoding, contentType)).toEqual(read);
	});

	it('may have a byte order mark', async () => {
		expect(await answer(`\uFEFF${TEXT}`, 'utf8')).toEqual(read);
		expect(await answer('\uFEFF', 'utf8')).toEqual({ status: 200, body: undefined });
	});
});

describe('an answer that is too much', () => {
	const MEGABYTE = 1_000_000;

	// To look for the key in so much takes long, and other tests do.
	const outcomeOfMuch = async (answer: Answer) =>
		await outcomeOf(answer, { redact: (text) => text });

	/** A body without an end, and how much of it was taken. */
	function endless(piece: Buffer) {
		const taken = { bytes: 0, isLeft: false };
		function* body() {
			try {
				// Long enough to be too much, and over in time where nobody stops it.
				while (taken.bytes < 64 * MEGABYTE) {
					taken.bytes += piece.length;
					yield piece;
				}
			} finally {
				taken.isLeft = true;
			}
		}
		return { taken, body: body() };
	}

	/** JSON of so many bytes. */
	const jsonOf = (bytes: number) => [
		Buffer.from('"'),
		Buffer.alloc(bytes - 2, 'x'),
		Buffer.from('"'),
	];

	it('is read up to 32 MB, and no further', async () => {
		const whole = await outcomeOfMuch({ statusCode: 200, body: jsonOf(32 * MEGABYTE) });
		// Jest would print both texts, if they were not the same.
		expect('body' in whole && whole.body === 'x'.repeat(32 * MEGABYTE - 2)).toBe(true);
		const failure = { kind: 'unreadable', status: 200, content: 'large' };
		const more = await outcomeOfMuch({ statusCode: 200, body: jsonOf(32 * MEGABYTE + 1) });
		expect(more).toEqual({ failure });
		const { body, taken } = endless(Buffer.alloc(65_536, ' '));
		expect(await outcomeOfMuch({ statusCode: 200, body })).toEqual({ failure });
		expect(taken.bytes).toBeLessThan(33 * MEGABYTE);
		expect(taken.isLeft).toBe(true);
	});

	it.each([402, 422, 429, 500])(
		'is not read to its end with the status %i either',
		async (statusCode) => {
			const { body, taken } = endless(Buffer.alloc(65_536, ' '));
			const answer = { statusCode, body, headers: { 'retry-after': '7' } };
			expect(await outcomeOfMuch(answer)).toEqual({
				failure: { kind: 'status', status: statusCode, retryAfterMs: 7_000, body: undefined },
			});
			expect(taken.bytes).toBeLessThan(33 * MEGABYTE);
		},
	);

	it.each([101, 5_000, 1_000_000])('is one of %i levels', async (levels) => {
		const arrays = '['.repeat(levels) + ']'.repeat(levels);
		const objects = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
		for (const body of [arrays, objects]) {
			expect(await outcomeOfMuch({ statusCode: 200, body })).toEqual({
				failure: { kind: 'unreadable', status: 200, content: 'deep' },
			});
			expect(await outcomeOfMuch({ statusCode: 422, body: `{"detail":${body}}` })).toEqual({
				failure: { kind: 'status', status: 422, body: undefined },
			});
		}
	});

	it('is none of 100 levels, which are read', async () => {
		const text = `${'[{"a":'.repeat(50)}1${'}]'.repeat(50)}`;
		expect(await outcomeOfMuch({ statusCode: 200, body: text })).toEqual({
			status: 200,
			body: JSON.parse(text),
		});
	});
});

describe('a body that breaks off', () => {
	/** Gives some of it, and then what n8n's stream throws. */
	async function* breaking(error: () => unknown): AsyncGenerator<Buffer> {
		yield Buffer.from('{"id":');
		throw await error();
	}
	const aborted = { code: 'ECONNRESET', message: `aborted by ${API_KEY}` };

	it('may have taken effect, whatever the error is', async () => {
		for (const error of [
			aborted,
			{ code: 'ECONNREFUSED', syscall: 'connect' },
			{ code: 'ENOTFOUND', syscall: 'getaddrinfo', request: { socket: null } },
			{ name: 'UserError', message: 'blocked' },
		]) {
			const outcome = await outcomeOf({ statusCode: 200, body: breaking(() => error) });
			expect(outcome).toMatchObject({ failure: { kind: 'broken' } });
		}
	});

	it('tells its reason, without the key', async () => {
		const reason = 'the connection was closed (ECONNRESET)';
		expect(await outcomeOf({ statusCode: 200, body: breaking(() => aborted) })).toEqual({
			failure: { kind: 'broken', reason },
		});
		const odd = { message: `odd ${API_KEY}` };
		expect(await outcomeOf({ statusCode: 200, body: breaking(() => odd) })).toEqual({
			failure: { kind: 'broken', reason: 'odd (the API key)' },
		});
	});

	it('after another status leaves that as it is', async () => {
		expect(await outcomeOf({ statusCode: 404, body: breaking(() => aborted) })).toEqual({
			failure: { kind: 'status', status: 404, body: undefined },
		});
	});

	it('because it takes more than a minute in all is too slow', async () => {
		const { outcome, tookMs } = await attemptWith(({ options }) => {
			const isOver = new Promise((resolve) => {
				options.abortSignal?.addEventListener?.('abort', () => resolve({ code: 'ERR_CANCELED' }));
			});
			return { statusCode: 200, body: breaking(async () => await isOver) };
		});
		expect(outcome).toMatchObject({ failure: { kind: 'timeout' } });
		expect(tookMs).toBe(60_000);
	});
});

describe('an answer of another status', () => {
	it.each([199, 300, 301, 400, 404, 422, 500])('is a failure: %i', async (statusCode) => {
		expect(await outcomeOf(json({ detail: 'why' }, statusCode))).toEqual({
			failure: { kind: 'status', status: statusCode, body: { detail: 'why' } },
		});
		expect(await outcomeOf({ statusCode, body: '' })).toEqual({
			failure: { kind: 'status', status: statusCode, body: undefined },
		});
		expect(await outcomeOf({ statusCode, body: '<html>' })).toEqual({
			failure: { kind: 'status', status: statusCode, body: undefined },
		});
	});

	it('tells how long to wait, in seconds or by a date, measured from its own date or from now', async () => {
		const http = (ms: number) => new Date(ms).toUTCString();
		const waitOf = async (headers: Record<string, string>) => {
			const { failure } = await outcomeOf({ statusCode: 429, headers });
			return failure?.kind === 'status' ? failure.retryAfterMs : NaN;
		};
		expect(await waitOf({ 'retry-after': '7' })).toBe(7_000);
		expect(await waitOf({ 'retry-after': http(NOW_MS + 9_000) })).toBe(9_000);
		expect(await waitOf({ 'retry-after': http(NOW_MS + 9_000), date: http(NOW_MS + 4_000) })).toBe(
			5_000,
		);
		expect(await waitOf({ date: http(NOW_MS) })).toBeUndefined();
	});
});

describe('the key', () => {
	const instead = '(the API key)';

	it('is in no text of the service, wherever and however often it gives it back', () => {
		const text = fc.string({ unit: fc.constantFrom('a', ' ', API_KEY) });
		return fc.assert(
			fc.asyncProperty(text, fc.constantFrom(200, 201, 404, 429, 500), async (given, status) => {
				const outcome = await outcomeOf(json({ [given]: [given] }, status));
				expect(JSON.stringify(outcome)).not.toContain(API_KEY);
				const shown = given.replaceAll(API_KEY, instead);
				expect(JSON.stringify(outcome)).toContain(JSON.stringify({ [shown]: [shown] }));
			}),
		);
	});

	it('is in no text that JSON has escaped', async () => {
		const text = `"${API_KEY.replaceAll(/./g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;
		expect(text).not.toContain('key');
		expect(await outcomeOf({ statusCode: 200, body: text })).toEqual({
			status: 200,
			body: instead,
		});
	});

	it('is in nothing of an answer that is not JSON, and in no reason of a failure', async () => {
		const page = await outcomeOf({ statusCode: 200, body: `<p>${API_KEY}${API_KEY}` });
		expect(JSON.stringify(page)).not.toContain(API_KEY);
		const failure = Object.assign(new Error('Blocked'), {
			cause: { name: 'UserError', message: `${API_KEY} may not go there` },
		});
		expect(await outcomeOf(failure)).toEqual({
			failure: { kind: 'notSent', reason: `${instead} may not go there` },
		});
	});

	it('changes no text where there is none', async () => {
		expect(await outcomeOf(json({ id: 'abc' }), { secret: '' })).toEqual({
			status: 200,
			body: { id: 'abc' },
		});
		expect(await outcomeOf(failures.notSent(), { secret: '' })).toEqual({
			failure: { kind: 'notSent', reason: 'Not allowed' },
		});
	});
});
