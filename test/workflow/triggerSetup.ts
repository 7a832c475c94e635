import { startSandbox, type Sandbox, type SandboxOptions } from '../../tools/sandbox';
import { passingClock } from './support';
import { PUBLIC_ORIGIN, TriggerHost, type TriggerHostOptions } from './triggerHost';

const publicHosts: Record<string, string> = {};
const open: Array<() => unknown> = [];

/** A sandbox whose public host is the trigger host that is started with it. */
export async function startTrigger(
	options: Partial<TriggerHostOptions> = {},
	sandboxOptions: SandboxOptions = {},
): Promise<{ sandbox: Sandbox; host: TriggerHost; origin: string }> {
	const sandbox = await startSandbox({
		limiter: { kind: 'off' },
		publicHosts,
		...sandboxOptions,
	});
	const host = new TriggerHost(sandbox, {
		parameters: { events: ['message.received'] },
		clock: passingClock(),
		...options,
	});
	const origin = await host.listen();
	publicHosts[PUBLIC_ORIGIN] = origin;
	open.push(
		async () => await sandbox.close(),
		() => host.close(),
	);
	return { sandbox, host, origin };
}

/** Ends everything that was started in a test. */
export async function stopTriggers(): Promise<void> {
	for (const close of open.splice(0)) await close();
}

/** Makes every start wait until it is released, as n8n's concurrency limit does. */
export function holdStarts(host: TriggerHost) {
	const held: Array<{ start: () => void; fail: () => void }> = [];
	host.onStart = async () =>
		await new Promise((resolve, reject) =>
			held.push({ start: resolve, fail: () => reject(new Error('the database is down')) }),
		);
	return held;
}
