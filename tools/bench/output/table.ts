/** One table of a report, with all that is said about it. */
export interface Table {
	title: string;
	/** How it was measured. */
	how: string;
	head: string[];
	rows: string[][];
	/** What a reader should know beside the figures. */
	notes?: string[];
	requirements: Requirement[];
}

/** What a table should show, and whether it does. */
export interface Requirement {
	text: string;
	measured: string;
	isMet: boolean;
}

/** A table's section of the page. */
export const toSection = ({ title, how, head, rows, notes = [] }: Table) =>
	[`### ${title}`, how, toMarkdownTable(head, rows), ...notes].join('\n\n');

/** The section, and which requirements are met. */
export const toMarkdown = (table: Table) =>
	`${toSection(table)}\n\n${table.requirements.map(toLine).join('\n')}`;

/** The first column holds names, all others figures. */
export function toMarkdownTable(head: string[], rows: string[][]): string {
	const rule = head.map((_, column) => (column === 0 ? '---' : '--:'));
	return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export function toLine({ text, measured, isMet }: Requirement): string {
	return `- ${isMet ? 'Met' : '**Not met**'}: ${text} (measured: ${measured})`;
}
