import { fs, os, path, process } from '../support/platform';
import type { Verdict } from './oracle';
import type { Search } from './stored';

/** What one file of tests has measured. */
export interface Results {
	/** How long the runs took. */
	elapsedMs?: number;
	verdicts?: Verdict[];
	search?: Search;
	/** Hostile values, by the operation or the place that they were given to. */
	hostile?: HostileCount[];
}

export interface HostileCount {
	place: string;
	cases: number;
	/** Items or deliveries that were refused with a reason. */
	refused: number;
	/** Requests that went out, each to an endpoint of the operation. */
	requests: number;
	/** Whatever is not as it should be. */
	problems: number;
}

const variable = 'FAULTS_RESULTS';

/** Makes a place for the results of all files; the processes of the tests learn of it. */
export function openResults(): void {
	process.env[variable] = fs.mkdtempSync(path.join(os.tmpdir(), 'workspace-crm-faults-'));
}

export function saveResults(name: string, results: Results): void {
	const folder = process.env[variable];
	if (folder) fs.writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(results));
}

/** All results, and the place for them is gone. */
export function takeResults(): Results {
	const folder = process.env[variable] ?? '';
	const all = fs
		.readdirSync(folder)
		.map((file) => JSON.parse(fs.readFileSync(path.join(folder, file), 'utf8')) as Results);
	fs.rmSync(folder, { recursive: true });
	return {
		elapsedMs: all.find(({ elapsedMs }) => elapsedMs !== undefined)?.elapsedMs,
		verdicts: all.flatMap(({ verdicts = [] }) => verdicts),
		search: all.find(({ search }) => search)?.search,
		hostile: all.flatMap(({ hostile = [] }) => hostile),
	};
}
