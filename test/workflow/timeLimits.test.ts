import * as fc from 'fast-check';
import type { IHttpRequestOptions, NodeApiError } from 'n8n-workflow';

import type { Sandbox } from '../../tools/sandbox';
import { createRuntime } from '../../nodes/WorkspaceCrm/crm/connection';
import { endpoints } from '../../nodes/WorkspaceCrm/crm/endpoints';
import { askForEditor } from '../../nodes/WorkspaceCrm/editor/choices';
import { VirtualClock } from '../support/virtualClock';
import { editorContext } from './editorContext';
import { TriggerHost } from './triggerHost';

const service = { url: 'http://127.0.0.1:9', apiKey: 'key' } as Sandbox;

/** n8n gives up on a publishing after 84 seconds; the database and the credential take some of them. */
const LONGEST_MS = 81_000;

/** What the service does with a request: answers after a time, or never ends. */
interface Behaviour {
	afterMs: number;
	status: number;
	/** Whether it sends nothing at all, only the headers, or everything. */
	extent: 'nothing' | 'headers' | 'all';
	/** Whether a subscription is made although there is no answer. */
	hasEffect: boolean;
}

const FINE: Behaviour = { afterMs: 50, status: 200, extent: 'all', hasEffect: true };

/** Waits in the time of a clock, as a socket does until it is closed. */
async function wait(clock: VirtualClock, delayMs: number, signal: AbortSignal): Promise<void> {
	await new Promise<void>((resolve, reject) => {
		const request = { socket: { _bytesDispatched: 1 } };
		const cause = { isAxiosError: true, code: 'ERR_CANCELED', message: 'canceled', request };
		const abort = () => reject(Object.assign(new Error('canceled'), { cause }));
		if (signal.aborted) abort();
		signal.addEventListener('abort', abort);
		if (delayMs < Infinity) void clock.sleep(delayMs).then(resolve);
	});
}

/** A service without sockets, and a host that publishes at it. */
function startService(behaviourOf: (index: number, method: string) => Behaviour) {
	const clock = new VirtualClock();
	const subscriptions = new Map<string, { id: string; url: string; events: string[] }>();
	let requests = 0;
	const bodyOf = ({ method, url, body }: IHttpRequestOptions) => {
		if (url.endsWith('/workspace')) return { id: 'w1', name: 'W' };
		if (method === 'GET') return [...subscriptions.values()];
		if (method === 'DELETE') return void subscriptions.delete(url.split('/').at(-1) ?? '');
		const made = { id: `s${requests}`, secret: 'secret', active: true };
		const wanted = JSON.parse(body as string) as { url: string; events: string[] };
		subscriptions.set(made.id, { ...made, ...wanted });
		return { ...made, ...wanted };
	};
	const answer = async (options: IHttpRequestOptions) => {
		requests += 1;
		const signal = options.abortSignal as AbortSignal;
		const { afterMs, status, extent, hasEffect } = behaviourOf(requests, options.method ?? 'GET');
		const isOk = status < 300;
		const payload = isOk && hasEffect ? JSON.stringify(bodyOf(options) ?? '') : '{}';
		await wait(clock, extent === 'nothing' ? Infinity : afterMs, signal);
		const body = (async function* () {
			if (extent === 'headers') await wait(clock, Infinity, signal);
			yield Buffer.from(payload);
		})();
		return { statusCode: status, headers: status === 429 ? { 'retry-after': '9' } : {}, body };
	};
	const parameters = { events: ['message.received'] };
	const host = new TriggerHost(service, { parameters, clock, answer });
	return { clock, host, subscriptions, requests: () => requests };
}

/** Publishes, then changes the trigger and publishes that: how long it takes, and its error. */
async function publishTwice(behaviour: (index: number, method: string) => Behaviour) {
	let isBroken = false;
	let before = 0;
	const { clock, host, subscriptions, requests } = startService((index, method) =>
		isBroken ? behaviour(index - before, method) : FINE,
	);
	await host.publish();
	expect(subscriptions.size).toBe(1);
	isBroken = true;
	before = requests();
	host.options.parameters = { events: ['message.received', 'tag.added'] };
	const startMs = clock.elapsedMs();
	const error = await host.publish().then(
		() => undefined,
		(failure: NodeApiError) => failure,
	);
	return { tookMs: clock.elapsedMs() - startMs, error, host, subscriptions };
}

const NEVER: Behaviour = { afterMs: 0, status: 200, extent: 'nothing', hasEffect: false };

test.each<[string, (index: number, method: string) => Behaviour]>([
	['never answers', () => NEVER],
	['never answers a creation', (_, method) => (method === 'POST' ? NEVER : FINE)],
	[
		'is slow, and never answers a creation',
		(index, method) => (index === 1 || method === 'POST' ? NEVER : { ...FINE, afterMs: 7_000 }),
	],
	['never ends its answers', () => ({ ...NEVER, extent: 'headers' })],
	['takes 20 s for each answer', () => ({ ...FINE, afterMs: 20_000 })],
	['refuses for long', () => ({ ...FINE, status: 429, afterMs: 8_000 })],
])('publishing a changed trigger ends in time if the service %s', async (_, behaviour) => {
	const { tookMs, error } = await publishTwice(behaviour);
	expect(tookMs).toBeLessThanOrEqual(LONGEST_MS);
	expect(error?.message).toMatch(/^This trigger receives no events now: publish again\. /);
	expect(error?.message).toMatch(/ The (service|rate limit of the service) /);
});

test('publishing a changed trigger ends in time, whatever the service does', async () => {
	const behaviour: fc.Arbitrary<Behaviour> = fc.record({
		afterMs: fc.oneof(fc.nat(1_000), fc.nat(30_000), fc.constantFrom(11_900, 23_000, 35_900)),
		status: fc.constantFrom(200, 200, 200, 429, 500, 503, 502),
		extent: fc.constantFrom('nothing', 'headers', 'all', 'all'),
		hasEffect: fc.boolean(),
	});
	await fc.assert(
		fc.asyncProperty(fc.array(behaviour, { minLength: 1, maxLength: 12 }), async (all) => {
			const { tookMs, error } = await publishTwice((index) => all[(index - 1) % all.length]);
			expect(tookMs).toBeLessThanOrEqual(LONGEST_MS);
			// An error that tells the user something, or success.
			expect(error === undefined || error.message.includes(' The ')).toBe(true);
		}),
		{ numRuns: 150 },
	);
});

test.each<[string, number]>([
	['never answers', Infinity],
	['takes 30 s for each page', 30_000],
])('a drop-down says so before a proxy gives up, if the service %s', async (_, delayMs) => {
	const clock = new VirtualClock();
	const context = editorContext(service);
	context.helpers.httpRequestWithAuthentication = async (_type, { abortSignal, url }) => {
		await wait(clock, delayMs, abortSignal as AbortSignal);
		const offset = Number(new URL(url).searchParams.get('offset'));
		const data = Array.from({ length: 100 }, (__, index) => ({ id: `c${offset + index}` }));
		return {
			statusCode: 200,
			headers: {},
			body: [Buffer.from(JSON.stringify({ data, total: 900 }))],
		};
	};
	const listing = askForEditor(
		context,
		async (api) => await api.list(endpoints.getContacts()),
		createRuntime(clock),
	);
	await expect(listing).rejects.toThrow('The service took too long to answer');
	expect(clock.elapsedMs()).toBeLessThan(60_000);
});
