import type { Clock } from '../../nodes/WorkspaceCrm/crm/clock';
import { createRuntime, type Runtime } from '../../nodes/WorkspaceCrm/crm/connection';
import type { Sandbox } from '../../tools/sandbox';
import { http, net, nextTurn } from '../../tools/support/platform';

/** Another address of the sandbox, which refuses connections while it is shut. */
export class Door {
	private server?: http.Server;
	private port = 0;

	constructor(private readonly sandbox: Sandbox) {}

	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	async open(): Promise<void> {
		if (this.server) return;
		const server = http.createServer((request, response) => {
			const { method, url } = request;
			const headers = { ...request.headers };
			delete headers.host;
			// A connection that stays open would get through a shut door.
			response.shouldKeepAlive = false;
			const forward = http.request(`${this.sandbox.url}${url}`, { method, headers }, (answer) => {
				response.writeHead(answer.statusCode ?? 0, { ...answer.headers, connection: 'close' });
				answer.pipe(response);
			});
			forward.on('error', () => response.destroy());
			request.pipe(forward);
		});
		this.server = server;
		await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
		this.port = (server.address() as net.AddressInfo).port;
	}

	/** From now on, connections are refused; answers under way arrive. */
	shut(): void {
		this.server?.close();
		this.server = undefined;
	}
}

/** A process of its own, whose waits take no real time. Each wait calls `onSleep`. */
export function processInTime(onSleep: (elapsedMs: number) => unknown = () => {}): Runtime {
	const startMs = Date.now();
	let elapsedMs = 0;
	const clock: Clock = {
		now: () => startMs + elapsedMs,
		elapsedMs: () => elapsedMs,
		sleep: async (delayMs) => {
			elapsedMs += delayMs;
			await onSleep(elapsedMs);
			await nextTurn();
		},
		// Requests take real time.
		signalAfter: (delayMs) => AbortSignal.timeout(delayMs),
		random: Math.random,
	};
	return createRuntime(clock);
}

/** The same, and it opens a door that has been shut for so long. */
export function processWithDoor(door: Door, shutForMs: number): Runtime {
	let shutAtMs: number | undefined;
	return processInTime(async (elapsedMs) => {
		shutAtMs ??= elapsedMs;
		if (elapsedMs - shutAtMs >= shutForMs) await door.open();
	});
}
