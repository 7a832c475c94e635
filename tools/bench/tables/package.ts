import { repositoryFolder } from '../../n8n/paths';
import { childProcess, process } from '../../support/platform';
import type { Table } from '../output/table';

/** What the package itself costs: the figures of `node scripts/measure-package.mjs`. */
export async function measurePackage(): Promise<Table> {
	const text = childProcess.execFileSync(process.execPath, ['scripts/measure-package.mjs'], {
		cwd: repositoryFolder,
		encoding: 'utf8',
	});
	return {
		title: 'The package',
		how: 'Loading is that of all nodes and the credential, in a process that has loaded `n8n-workflow`.',
		head: ['', ''],
		rows: text
			.trim()
			.split('\n')
			.map((line) => line.split(/: +/)),
		requirements: [],
	};
}
