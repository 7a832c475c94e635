import { print } from '../bench/output/command';
import type { Copy } from './copy';
import type { Feature } from './features';
import { removeDeadLinks } from './pages';
import { removeParts } from './parts';

/** Tests that write pages and the snapshot of saved names, as after every change of an operation. */
const written = [
	'contract',
	'operationPages',
	'mistakes',
	'tomorrow',
	'unit/readme',
	'unit/pictures',
];

/** Takes a feature out of a copy, and says what had to be touched. */
export async function takeOut(feature: Feature, copy: Copy): Promise<void> {
	await cut(feature, copy);
	await rewritePages(copy);
	await copy.run('git', ['add', '--all']);
	print(`${await copy.run('git', ['diff', '--cached', '--stat', '--diff-filter=M'])}\n`);
}

export async function cut({ remove, parts }: Feature, copy: Copy): Promise<void> {
	for (const pattern of remove) {
		// Fails if it names nothing.
		const removed = await copy.run('git', ['rm', '-r', '--', `:(glob)${pattern}`]);
		print(`  removed ${pattern} (${removed.trim().split('\n').length})\n`);
	}
	for (const [file, names] of Object.entries(parts)) {
		removeParts(file, names, copy);
		print(`  ${file}: without ${names.join(', ')}\n`);
	}
	const changed = (await copy.run('git', ['diff', '--name-only', '--diff-filter=d']))
		.trim()
		.split('\n');
	await copy.run('npx', ['prettier', '--write', '--log-level', 'warn', ...changed]);
}

async function rewritePages(copy: Copy): Promise<void> {
	await copy
		.run('npx', ['jest', '--selectProjects', 'fast', '--ci=false', '-u', ...written], {
			UPDATE_DOCS: '1',
		})
		.catch(() => '');
	const lines = await removeDeadLinks(copy);
	print(`  pages: without ${lines} lines or links that lead to what is gone\n`);
	await copy.run('npx', ['prettier', '--write', '--log-level', 'warn', '**/*.md']);
}
