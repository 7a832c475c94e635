import { childProcess, net, process } from '../support/platform';

/**
 * A shell that waits for us to end, however we end, and then ends the process groups we still own.
 * Each line it reads holds all of them, so the last line is the truth.
 */
const script = `
live=
while read -r line; do live=$line; done
[ -n "$live" ] || exit 0
for group in $live; do kill -s TERM -- "-$group"; done 2>/dev/null
sleep 5
for group in $live; do kill -s KILL -- "-$group"; done 2>/dev/null
`;

let watchdog: childProcess.ChildProcess | undefined;

/** Makes sure that these process groups do not outlive us, not even when we are killed outright. */
export function guardProcessGroups(groupIds: number[]): void {
	if (process.platform === 'win32') return;
	watchdog ??= startWatchdog();
	watchdog.stdin?.write(`${groupIds.join(' ')}\n`);
}

function startWatchdog(): childProcess.ChildProcess {
	const child = childProcess.spawn('sh', ['-c', script], {
		// a group of its own, so that Ctrl-C does not reach it
		detached: true,
		stdio: ['pipe', 'ignore', 'ignore'],
	});
	// it must not keep us alive
	child.unref();
	if (child.stdin instanceof net.Socket) child.stdin.unref();
	child.stdin?.on('error', () => undefined);
	return child;
}
