import { realClock } from '../support/clock';
import { Deliveries } from './delivery/deliveries';
import { createEmitter } from './delivery/emitter';
import { Events } from './delivery/events';
import { Faults, type RecordedRequest } from './http/faults';
import { createLimiter, type Limiter } from './http/limiter';
import { defaultWorkspace, type SandboxOptions } from './options';
import { Scheduler } from './scheduler';
import { seedContacts } from './seed/contacts';
import { defaultShapes, type Shapes } from './shapes';
import { Store } from './state/store';

/** What may change while the sandbox runs. */
interface Settings {
	shapes: Shapes;
	latencyMs: number;
	limiter: Limiter;
	keyRevoked: boolean;
}

/** The parts of one sandbox, as its routes see them. */
export type Context = ReturnType<typeof createContext>;

/** Puts the parts of a sandbox together and seeds its contacts. */
export function createContext(options: SandboxOptions) {
	const clock = options.clock ?? realClock;
	const initialSettings = (): Settings => ({
		shapes: { ...defaultShapes, ...options.shapes },
		latencyMs: options.latencyMs ?? 0,
		limiter: createLimiter(clock, options.limiter ?? { kind: 'sliding' }),
		keyRevoked: false,
	});
	const settings = initialSettings();
	const store = new Store(clock);
	const scheduler = new Scheduler(clock);
	const deliveries = new Deliveries(clock, scheduler, {
		publicHosts: options.publicHosts ?? {},
		retryMinutes: options.deliveryRetryMinutes ?? [1, 2, 4, 8, 16],
		timeoutMs: options.deliveryTimeoutMs ?? 10_000,
	});
	const events = new Events(store, deliveries, () => settings.shapes);
	const faults = new Faults();
	const requests: RecordedRequest[] = [];
	seedContacts(store, options.contacts ?? 0, clock.now());
	return {
		clock,
		scheduler,
		apiKey: options.apiKey ?? 'sandbox-key',
		workspace: options.workspace ?? defaultWorkspace,
		/** Where it listens. */
		address: options.host ?? '127.0.0.1',
		/** Other names by which clients may call it. */
		allowedHosts: (options.allowedHosts ?? []).map((host) => host.toLowerCase()),
		settings,
		store,
		faults,
		deliveries,
		events,
		emitter: createEmitter(store, events),
		requests,
		reset() {
			deliveries.stopAll();
			deliveries.records.length = 0;
			requests.length = 0;
			faults.clear();
			store.reset();
			Object.assign(settings, initialSettings());
		},
	};
}
