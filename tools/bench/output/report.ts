import { format, resolveConfig } from 'prettier';

import { repositoryFolder } from '../../n8n/paths';
import { withSection } from '../../support/docs';
import { fs, path } from '../../support/platform';
import { describeMachine } from './machine';
import { toSection, type Table } from './table';

/** What one command measured, and where it is written. */
export interface Report {
	/** The section of the page. */
	section: string;
	command: string;
	tables: Table[];
}

const PAGE = 'docs/dev/measured.md';

/**
 * Writes a command's section of the page. It holds the figures; the command prints whether they are as
 * required.
 *
 * @returns the page's path from the root of the repository
 */
export async function writeReport({ section, command, tables }: Report): Promise<string> {
	const target = path.join(repositoryFolder, PAGE);
	const text = [
		`Written by \`${command}\` on ${await describeMachine()}.`,
		...tables.map(toSection),
	].join('\n\n');
	const options = { ...(await resolveConfig(target)), parser: 'markdown' };
	await fs.promises.writeFile(target, await format(withSection(target, section, text), options));
	return PAGE;
}
