import { format, resolveConfig } from 'prettier';

import { repositoryFolder } from '../../n8n/paths';
import { sectionOf, withSection } from '../../support/docs';
import { fs, path } from '../../support/platform';
import { describeCommit, describeMachine } from './machine';
import { toSection, type Table } from './table';

/** What one command measured, and where it is written. */
export interface Report {
	/** The section of the page. */
	section: string;
	command: string;
	tables: Table[];
	/** Whether the other tables of the section stay as they are. */
	keepsOthers?: boolean;
}

const PAGE = 'docs/dev/measured.md';

/**
 * Writes a command's section of the page. It holds the figures; the command prints whether they are as
 * required.
 *
 * @returns the page's path from the root of the repository
 */
export async function writeReport(report: Report): Promise<string> {
	const { section, command, tables, keepsOthers } = report;
	const target = path.join(repositoryFolder, PAGE);
	const written = tables.map((table) => `${toSection(table)}\n\nOn ${describeCommit()}.\n`);
	const chapters = new Map((keepsOthers ? readChapters(target, section) : []).map(toEntry));
	for (const chapter of written) chapters.set(...toEntry(chapter));
	const head = `Written by \`${command}\`: ${await describeMachine()}.`;
	const text = [head, ...chapters.values()].join('\n\n');
	const options = { ...(await resolveConfig(target)), parser: 'markdown' };
	await fs.promises.writeFile(target, await format(withSection(target, section, text), options));
	return PAGE;
}

/** The tables that a section of the page has now. */
const readChapters = (target: string, section: string) =>
	sectionOf(target, section)
		.split(/^(?=### )/m)
		.slice(1);

/** A table as the page has it, by its title. */
const toEntry = (chapter: string): [string, string] => [chapter.split('\n')[0], chapter.trim()];
