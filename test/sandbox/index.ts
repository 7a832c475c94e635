import { delay } from '../support/platform';
import type { DeliveryRecord } from './delivery/deliveries';
import type { Emitter } from './delivery/emitter';
import { createContext } from './context';
import type { Fault, RecordedRequest } from './http/faults';
import { createLimiter } from './http/limiter';
import { createServer } from './http/server';
import type { LimiterOptions, SandboxOptions } from './options';
import type { Shapes } from './shapes';
import type { Store } from './state/store';

export type { DeliveryRecord } from './delivery/deliveries';
export type { Emitter } from './delivery/emitter';
export { signatureOf } from './delivery/post';
export type { Fault, FaultKind, RecordedRequest } from './http/faults';
export type { LimiterOptions, SandboxOptions } from './options';
export type * from './records';
export type { ListName, ListShape, Shapes } from './shapes';
export { messageText } from './state/store';
export type { Store } from './state/store';

export interface Sandbox {
	/** Base address, without /v1 and without a slash at the end. */
	url: string;
	apiKey: string;
	/** The state itself, for asserting; `store.rules` holds what the API cannot change. */
	store: Store;
	/** Every API request in the order of arrival. */
	requests: RecordedRequest[];
	setShapes(shapes: Partial<Shapes>): void;
	setLatency(latencyMs: number): void;
	/** Also forgets what was counted. */
	setLimiter(options: LimiterOptions): void;
	/** Lets a coming request fail. Faults strike requests that are authorised and within the rate. */
	fail(fault: Fault): void;
	clearFaults(): void;
	revokeKey(): void;
	/** From now on, the workspace has this key and no other. */
	rotateKey(key: string): void;
	restoreKey(): void;
	emit: Emitter;
	deliveries: DeliveryRecord[];
	/** Sends a delivery again under the same id. Gives the status, 0 when there was no answer. */
	redeliver(deliveryId: string): Promise<number>;
	/** Resolves when no attempt is under way; with `includeRetries` when nothing is pending. */
	settled(options?: { includeRetries?: boolean }): Promise<void>;
	/** Closes at once, with open connections, and comes back later at the same address. */
	restart(downMs: number): Promise<void>;
	/** Back to the start, without contacts: state, requests, deliveries, faults and settings. */
	reset(): void;
	/** Closes at once, with open connections and pending retries. */
	close(): Promise<void>;
}

/** Starts the CRM's stand-in and resolves once it listens. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const context = createContext(options);
	const { settings, deliveries, faults } = context;
	let server = createServer(context);
	let isClosed = false;
	const url = await server.listen({ port: options.port ?? 0, host: context.address });
	return {
		url,
		apiKey: context.apiKey,
		store: context.store,
		requests: context.requests,
		setShapes: (shapes) => void Object.assign(settings.shapes, shapes),
		setLatency: (latencyMs) => void (settings.latencyMs = latencyMs),
		setLimiter: (limiter) => void (settings.limiter = createLimiter(context.clock, limiter)),
		fail: (fault) => faults.add(fault),
		clearFaults: () => faults.clear(),
		revokeKey: () => void (settings.keyRevoked = true),
		rotateKey: (key: string) => void (context.apiKey = key),
		restoreKey: () => void (settings.keyRevoked = false),
		emit: context.emitter,
		deliveries: deliveries.records,
		redeliver: async (deliveryId) => await deliveries.redeliver(deliveryId),
		settled: async (which) => await deliveries.settled(which),
		async restart(downMs) {
			await server.close();
			await delay(downMs);
			if (isClosed) return;
			server = createServer(context);
			await server.listen({ port: Number(new URL(url).port), host: context.address });
		},
		reset: () => context.reset(),
		async close() {
			isClosed = true;
			deliveries.stopAll();
			context.scheduler.cancelAll();
			await server.close();
			await deliveries.settled({ includeRetries: true });
		},
	};
}
