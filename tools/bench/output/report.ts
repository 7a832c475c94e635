import { format, resolveConfig } from 'prettier';

import { repositoryFolder } from '../../n8n/paths';
import { withSection } from '../../support/docs';
import { fs, path } from '../../support/platform';
import { describeMachine } from './machine';
import { toMarkdown, type Table } from './table';

/** What one command measured, and where it is written. */
export interface Report {
	/** The page, in `docs`. */
	page: string;
	/** The section of the page. */
	section: string;
	command: string;
	tables: Table[];
}

/**
 * Writes a command's section of a page.
 *
 * @returns the page's path from the root of the repository
 */
export async function writeReport({ page, section, command, tables }: Report): Promise<string> {
	const target = path.join(repositoryFolder, 'docs', page);
	const requirements = tables.flatMap((table) => table.requirements);
	const met = requirements.filter(({ isMet }) => isMet).length;
	const text = [
		`Written by \`${command}\` on ${await describeMachine()}. ${met} of ${requirements.length} requirements are met.`,
		...tables.map(toMarkdown),
	].join('\n\n');
	const options = { ...(await resolveConfig(target)), parser: 'markdown' };
	await fs.promises.writeFile(target, await format(withSection(target, section, text), options));
	return path.relative(repositoryFolder, target);
}
