import type { Clock } from '../support/clock';
import type { Shapes } from './shapes';

export interface LimiterOptions {
	kind: 'sliding' | 'fixed' | 'tokenBucket' | 'off';
	/** Requests in one window. Default 120. */
	limit?: number;
	/** Default 60000. */
	windowMs?: number;
	/** Size of the token bucket. Default: as `limit`. */
	burst?: number;
	/** Where a fixed window begins. Default `firstRequest`. */
	fixedWindowFrom?: 'firstRequest' | 'epoch';
}

export interface Workspace {
	id: string;
	name: string;
}

export interface SandboxOptions {
	/** Default 0: any free port. */
	port?: number;
	/** The address to listen on. Default 127.0.0.1. */
	host?: string;
	/**
	 * More names that clients may call it by, as in the Host header: `host.docker.internal:8787`. Those of this
	 * machine and of `host` are always allowed.
	 */
	allowedHosts?: string[];
	/** Everything that depends on time takes it from here. Default: the machine's own time. */
	clock?: Clock;
	apiKey?: string;
	workspace?: Workspace;
	limiter?: LimiterOptions;
	/** How many believable contacts to begin with. Default 0. */
	contacts?: number;
	latencyMs?: number;
	shapes?: Partial<Shapes>;
	/**
	 * Public origin to local origin, as a reverse proxy would map them:
	 * `{ 'https://n8n.example.com': 'http://127.0.0.1:5678' }`.
	 */
	publicHosts?: Record<string, string>;
	/** Minutes of the clock between the attempts of one delivery. Default 1, 2, 4, 8, 16. */
	deliveryRetryMinutes?: number[];
	/** How long a receiver may take. Default 10000. */
	deliveryTimeoutMs?: number;
}

export const defaultWorkspace: Workspace = {
	id: '6f1c1f0e-8f0b-4f43-9d6e-2b7a51c0d001',
	name: 'Harbour Coffee Roasters',
};
