import { format, resolveConfig } from 'prettier';

import { print, runCommand } from '../bench/output/command';
import { toMarkdownTable } from '../bench/output/table';
import { repositoryFolder } from '../n8n/paths';
import { withSection } from '../support/docs';
import { fs, path, process } from '../support/platform';
import { installData } from './data';
import * as guesses from './guesses';

const PAGE = path.join(repositoryFolder, 'docs/guesses.md');
const HEAD = ['Guess', 'Measured on', 'Right', 'Asked', 'Wrong'];

/** With names such as `phones`, prints these tables; without, writes the page. */
async function run(): Promise<boolean> {
	const only = process.argv.slice(2);
	await installData();
	const rows: string[][] = [];
	let before = '';
	for (const [name, measure] of Object.entries(guesses)) {
		if (only.length > 0 && !only.includes(name)) continue;
		for (const [guess, data, cases] of await measure()) {
			const of = (verdict: string) => cases.filter(([each]) => each === verdict);
			const counts = [of('right'), of('asked'), of('wrong')].map(({ length }) => length);
			rows.push([
				guess,
				data === before ? '' : data,
				...counts.map((count) => count.toLocaleString('en')),
			]);
			before = data;
			for (const [, example] of of('wrong').slice(0, 5)) print(`${guess}: ${example}\n`);
		}
	}
	const table = toMarkdownTable(HEAD, rows);
	print(`\n${table}\n`);
	if (only.length > 0) return true;
	const settings = { ...(await resolveConfig(PAGE)), parser: 'markdown' };
	await fs.promises.writeFile(PAGE, await format(withSection(PAGE, 'guesses', table), settings));
	return true;
}

runCommand(run);
