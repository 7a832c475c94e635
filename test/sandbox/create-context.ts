import { realClock } from '../support/clock';
import type { Context, Settings } from './context';
import { Deliveries } from './delivery/deliveries';
import { createEmitter } from './delivery/emitter';
import { Events } from './delivery/events';
import { Faults } from './http/faults';
import { createLimiter } from './http/limiter';
import { defaultWorkspace, type SandboxOptions } from './options';
import { Scheduler } from './scheduler';
import { seedContacts } from './seed/contacts';
import { defaultShapes } from './shapes';
import { Store } from './state/store';

/** Puts the parts of a sandbox together and seeds its contacts. */
export function createContext(options: SandboxOptions): Context {
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
	const context: Context = {
		clock,
		scheduler,
		apiKey: options.apiKey ?? 'sandbox-key',
		workspace: options.workspace ?? defaultWorkspace,
		address: options.host ?? '127.0.0.1',
		allowedHosts: (options.allowedHosts ?? []).map((host) => host.toLowerCase()),
		settings,
		store,
		faults: new Faults(),
		deliveries,
		events,
		emitter: createEmitter(store, events),
		requests: [],
		reset() {
			deliveries.stopAll();
			deliveries.records.length = 0;
			context.requests.length = 0;
			context.faults.clear();
			store.reset();
			Object.assign(settings, initialSettings());
		},
	};
	seedContacts(store, options.contacts ?? 0, clock.now());
	return context;
}
