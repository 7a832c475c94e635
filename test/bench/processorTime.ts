import { fs, process } from '../support/platform';

/** In which Linux counts processor time, on all machines that Node.js runs on. */
const TICK_MS = 10;

/** Processor time of another process since its start, user and system, in milliseconds. NaN where it is not Linux. */
export function processorTimeMs(pid: number): number {
	if (process.platform !== 'linux') return NaN;
	const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
	// The name of the program, in brackets, may hold anything.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
