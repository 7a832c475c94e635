import { fs, process } from '../support/platform';

/** What Linux says of another process. */
export interface Usage {
	/** Processor time since its start, user and system. */
	cpuMs: number;
	/** Memory that it holds. */
	bytes: number;
	/** The most that it held since `forgetPeak`, or its start. */
	peakBytes: number;
}

/** In which Linux counts processor time, on all machines that Node.js runs on. */
const TICK_MS = 10;

export function usageOf(pid: number): Usage {
	const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
	// The name of the program, in brackets, may hold anything.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
	const kilobytes = (name: string) =>
		Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
	return {
		cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
		bytes: kilobytes('VmRSS') * 1_024,
		peakBytes: kilobytes('VmHWM') * 1_024,
	};
}

/** From now on, the peak is that of the time after now. */
export function forgetPeak(pid: number): void {
	fs.writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Nothing but Linux tells it in this way. */
export const isMeasurable = process.platform === 'linux';
