import { repositoryFolder } from '../../n8n/paths';
import { childProcess, process } from '../../support/platform';
import type { Table } from '../output/table';

/** What the package itself costs: the figures of `npm run measure`. */
export async function measurePackage(): Promise<Table> {
	const text = childProcess.execFileSync(process.execPath, ['scripts/measure-package.mjs'], {
		cwd: repositoryFolder,
		encoding: 'utf8',
	});
	return {
		title: 'The package',
		how: 'What `npm run measure` prints: the archive as it is published, and loading both nodes and the credential type in a process that has loaded `n8n-workflow` already. The HTTP Request node comes with n8n, so there is nothing to put beside it.',
		head: ['', ''],
		rows: text
			.trim()
			.split('\n')
			.map((line) => line.split(/: +/)),
		requirements: [],
	};
}
