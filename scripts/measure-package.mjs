/**
 * Prints the size and the loading time of the built package: `npm run build && node scripts/measure-package.mjs`.
 *
 * Loading is timed twenty times, each in a new process that has loaded n8n-workflow. The median is printed.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const RUNS = 20;
const { n8n } = JSON.parse(readFileSync('package.json', 'utf8'));
const files = [...n8n.nodes, ...n8n.credentials].map((file) => resolve(file));

const script = `
	require('n8n-workflow');
	gc();
	const heapBefore = process.memoryUsage().heapUsed;
	const startMs = performance.now();
	for (const file of ${JSON.stringify(files)}) for (const Type of Object.values(require(file))) new Type();
	const loadMs = performance.now() - startMs;
	gc();
	console.log(JSON.stringify([loadMs, process.memoryUsage().heapUsed - heapBefore]));
`;
const loads = Array.from({ length: RUNS }, () =>
	JSON.parse(execFileSync(process.execPath, ['--expose-gc', '-e', script], { encoding: 'utf8' })),
);
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

const work = mkdtempSync(join(tmpdir(), 'workspace-crm-measure-'));
execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', work], { stdio: 'ignore' });
const tarballBytes = statSync(join(work, readdirSync(work)[0])).size;
rmSync(work, { recursive: true });

console.log(`Tarball: ${(tarballBytes / 1_000).toFixed(1)} kB`);
console.log(`Loading: ${median(loads.map(([ms]) => ms)).toFixed(1)} ms (median of ${RUNS})`);
console.log(
	`Heap:    ${(median(loads.map(([, heap]) => heap)) / 1e6).toFixed(1)} MB after loading`,
);
