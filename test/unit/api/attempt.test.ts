import * as fc from 'fast-check';
import type { IHttpRequestOptions } from 'n8n-workflow';

import { attempt } from '../../../nodes/WorkspaceCrm/api/attempt';
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

const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5);
const GET: IHttpRequestOptions = { method: 'GET', url: 'https://crm.example.com/v1/tags' };

async function attemptWith(reply: Reply, { secret = API_KEY, stop }: Settings = {}) {
	const clock = new VirtualClock(NOW_MS);
	const service = new SimulatedService(clock, reply);
	const outcome = await attempt(service.context, GET, secret, clock, stop);
	return { outcome, service, tookMs: clock.elapsedMs() - NOW_MS };
}

interface Settings {
	secret?: string;
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

	it('never follows a redirect, nor takes the key to another host', async () => {
		const { service } = await attemptWith(inTurn(json({})));
		expect(service.sent[0].options).toMatchObject({
			disableFollowRedirect: true,
			sendCredentialsOnCrossOriginRedirect: false,
		});
	});

	it('asks n8n for the whole answer as text, whatever its status is', async () => {
		const { service } = await attemptWith(inTurn(json({})));
		expect(service.sent[0].options).toMatchObject({
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			encoding: 'text',
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
		expect(await outcomeOf(json({ id: '1' }, statusCode))).toEqual({ body: { id: '1' } });
		expect(await outcomeOf({ statusCode, body: ' [1]\n' })).toEqual({ body: [1] });
		expect(await outcomeOf({ statusCode, body: 'null' })).toEqual({ body: null });
		expect(await outcomeOf({ statusCode, body: 'false' })).toEqual({ body: false });
	});

	it.each(['', ' \n', undefined, null, {}])('is undefined where it is empty: %j', async (body) => {
		expect(await outcomeOf({ statusCode: 200, body })).toEqual({ body: undefined });
	});

	it('that is no JSON is a failure, with its text', async () => {
		expect(await outcomeOf({ statusCode: 201, body: '\n<html> ' })).toEqual({
			failure: { kind: 'unreadable', status: 201, text: '<html>' },
		});
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

	it('is in no text that is not JSON, and in no reason of a failure', async () => {
		expect(await outcomeOf({ statusCode: 200, body: `<p>${API_KEY}${API_KEY}` })).toEqual({
			failure: { kind: 'unreadable', status: 200, text: `<p>${instead}${instead}` },
		});
		const failure = Object.assign(new Error('Blocked'), {
			cause: { name: 'UserError', message: `${API_KEY} may not go there` },
		});
		expect(await outcomeOf(failure)).toEqual({
			failure: { kind: 'notSent', reason: `${instead} may not go there` },
		});
	});

	it('changes no text where there is none', async () => {
		expect(await outcomeOf(json({ id: 'abc' }), { secret: '' })).toEqual({ body: { id: 'abc' } });
		expect(await outcomeOf(failures.notSent(), { secret: '' })).toEqual({
			failure: { kind: 'notSent', reason: 'Not allowed' },
		});
	});
});
