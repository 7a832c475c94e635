import { ensureHost } from '../n8n/installHost';
import { withProgress } from '../n8n/progress';
import { parseArgs } from '../support/platform';
import { onProgress, print, runCommand } from './output/command';
import { isBusy } from './output/machine';
import { writeReport } from './output/report';
import { toLine, toMarkdown, type Table } from './output/table';
import { measureCost } from './tables/cost';
import { measureDeliveries } from './tables/deliveries';
import { measureLimiters } from './tables/limiters';
import { measureList } from './tables/list';
import { measurePackage } from './tables/package';
import { measureSync } from './tables/sync';

const measurements: Array<{ label: string; measure: () => Promise<Table> }> = [
	{ label: 'Table 1: a long list', measure: measureList },
	{ label: 'Table 2: rate limiters', measure: measureLimiters },
	{ label: 'Table 3: sync', measure: measureSync },
	{ label: 'Table 4: processor time and memory', measure: measureCost },
	{ label: 'Table 5: deliveries', measure: measureDeliveries },
	{ label: 'Table 6: the package', measure: measurePackage },
];

function tableNumbers(text: string): number[] {
	const numbers = text.split(',').map(Number);
	if (numbers.every((number) => measurements[number - 1])) return numbers;
	throw new Error(`--only takes numbers from 1 to ${measurements.length}, such as 1,3.`);
}

/** Reads `--only 1,3`: measure these tables, and keep the others as they are on the page. */
function readArguments(): { only?: number[] } {
	const { only } = parseArgs({ options: { only: { type: 'string' } } }).values;
	return { only: only === undefined ? undefined : tableNumbers(only) };
}

/** Returns whether all requirements are met. */
async function run(): Promise<boolean> {
	const { only } = readArguments();
	await ensureHost({ onProgress });
	if (isBusy())
		print('Warning: other programs are using the processor, so the times will be too long.\n');

	const tables: Table[] = [];
	for (const [index, { label, measure }] of measurements.entries()) {
		if (only && !only.includes(index + 1)) continue;
		const table = await withProgress(label, onProgress, measure);
		print(`\n${toMarkdown(table)}\n\n`);
		tables.push(table);
	}
	const requirements = tables.flatMap((table) => table.requirements);
	print(`${requirements.map(toLine).join('\n')}\n`);
	const report = { section: 'bench', command: 'npm run bench', tables, keepsOthers: Boolean(only) };
	print(`Wrote ${await writeReport(report)}\n`);
	return requirements.every(({ isMet }) => isMet);
}

runCommand(run);
