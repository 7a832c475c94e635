import { asName } from '../domain/sameText';
import { callsOfTemplate, readTemplateText, readTemplateVariables } from './assumptions';
import type { WireRecord } from './records';

/** What a template that was looked up has. */
export interface Template {
	/** The names of its variables; undefined if the service does not show them. */
	variables?: readonly string[];
	/** Its text; undefined if the service does not show it, or several templates of the name have different ones. */
	text?: string;
}

/** The templates of a workspace, as the service listed them. */
export class Templates {
	private readonly byCall = new Map<string, Template>();

	constructor(records: readonly WireRecord[]) {
		for (const record of records) {
			const found = { variables: readTemplateVariables(record), text: readTemplateText(record) };
			for (const call of callsOfTemplate(record)) this.add(call, found);
		}
	}

	/** @param chosen the ID or the name of a template. @returns undefined if it is not in the list */
	get(chosen: string): Template | undefined {
		return this.byCall.get(asName(chosen));
	}

	/** Several templates of one name count as one with all their variables: the service chooses among them. */
	private add(call: string, found: Template): void {
		const known = this.byCall.get(call) ?? found;
		const lists = [known, found].flatMap(({ variables }) => (variables ? [variables] : []));
		this.byCall.set(call, {
			variables: lists.length > 0 ? [...new Set(lists.flat())] : undefined,
			text: known.text === found.text ? found.text : undefined,
		});
	}
}
