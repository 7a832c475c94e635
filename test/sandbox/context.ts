import type { Clock } from '../support/clock';
import type { Deliveries } from './delivery/deliveries';
import type { Emitter } from './delivery/emitter';
import type { Events } from './delivery/events';
import type { Faults } from './http/faults';
import type { Limiter } from './http/limiter';
import type { RecordedRequest } from './http/faults';
import type { Workspace } from './options';
import type { Scheduler } from './scheduler';
import type { Shapes } from './shapes';
import type { Store } from './state/store';

/** What may change while the sandbox runs. */
export interface Settings {
	shapes: Shapes;
	latencyMs: number;
	limiter: Limiter;
	keyRevoked: boolean;
}

/** The parts of one sandbox, as its routes see them. */
export interface Context {
	clock: Clock;
	scheduler: Scheduler;
	apiKey: string;
	workspace: Workspace;
	/** Where it listens. */
	address: string;
	/** Under which other names clients may call it. */
	allowedHosts: string[];
	settings: Settings;
	store: Store;
	faults: Faults;
	deliveries: Deliveries;
	events: Events;
	emitter: Emitter;
	requests: RecordedRequest[];
	reset(): void;
}
