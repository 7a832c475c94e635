import { delay } from '../support/platform';
import { createContext } from './context';
import type { Fault } from './http/faults';
import { createLimiter } from './http/limiter';
import { createServer } from './http/server';
import type { LimiterOptions, SandboxOptions } from './options';
import type { Shapes } from './shapes';

export type { DeliveryRecord } from './delivery/deliveries';
export type { Emitter } from './delivery/emitter';
export { signatureOf } from './delivery/post';
export type { Fault, FaultKind, RecordedRequest } from './http/faults';
export type { LimiterOptions, SandboxOptions } from './options';
export type * from './records';
export type { ListName, ListShape, Shapes } from './shapes';
export { messageText } from './state/store';
export type { Store } from './state/store';

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/** Starts the CRM's stand-in and resolves once it listens. */
export async function startSandbox(options: SandboxOptions = {}) {
	const context = createContext(options);
	const { settings, deliveries, faults } = context;
	let server = createServer(context);
	let isClosed = false;
	const url = await server.listen({ port: options.port ?? 0, host: context.address });
	return {
		/** Base address, without /v1 and without a slash at the end. */
		url,
		apiKey: context.apiKey,
		/** The state itself, for asserting; `store.rules` holds what the API cannot change. */
		store: context.store,
		/** Every API request in the order of arrival. */
		requests: context.requests,
		setShapes: (shapes: Partial<Shapes>) => void Object.assign(settings.shapes, shapes),
		setLatency: (latencyMs: number) => void (settings.latencyMs = latencyMs),
		/** Also forgets what was counted. */
		setLimiter: (limiter: LimiterOptions) =>
			void (settings.limiter = createLimiter(context.clock, limiter)),
		/** Makes a later request fail. Faults strike requests that are authorised and within the rate. */
		fail: (fault: Fault) => faults.add(fault),
		clearFaults: () => faults.clear(),
		revokeKey: () => void (settings.keyRevoked = true),
		/** From now on, the workspace has this key and no other. */
		rotateKey: (key: string) => void (context.apiKey = key),
		restoreKey: () => void (settings.keyRevoked = false),
		emit: context.emitter,
		deliveries: deliveries.records,
		/** Sends a delivery again under the same id. Returns the status, or 0 if there was no answer. */
		redeliver: async (deliveryId: string) => await deliveries.redeliver(deliveryId),
		/** Resolves when no attempt is under way; with `includeRetries` when nothing is pending. */
		settled: async (which?: { includeRetries?: boolean }) => await deliveries.settled(which),
		/** Closes at once, with open connections, and comes back later at the same address. */
		async restart(downMs: number) {
			await server.close();
			await delay(downMs);
			if (isClosed) return;
			server = createServer(context);
			await server.listen({ port: Number(new URL(url).port), host: context.address });
		},
		/** Back to the start, without contacts: state, requests, deliveries, faults and settings. */
		reset: () => context.reset(),
		/** Closes at once, with open connections and pending retries. */
		async close() {
			isClosed = true;
			deliveries.stopAll();
			context.scheduler.cancelAll();
			await server.close();
			await deliveries.settled({ includeRetries: true });
		},
	};
}
