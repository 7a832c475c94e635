import { tidy } from '../domain/text';
import { callsOfTemplate, readTemplateVariables } from './assumptions';
import type { Clock } from './clock';
import type { WireRecord } from './records';

/** What a template that was looked up has. */
export interface Template {
	/** The names of its variables; undefined if the service does not show them. */
	variables?: readonly string[];
}

/** The templates of a workspace, as the service listed them. */
export class Templates {
	private readonly byCall = new Map<string, Template>();

	constructor(records: readonly WireRecord[]) {
		for (const record of records) {
			const variables = readTemplateVariables(record);
			for (const call of callsOfTemplate(record)) this.add(call, variables);
		}
	}

	/** @param chosen the ID or the name of a template. @returns undefined if it is not in the list */
	get(chosen: string): Template | undefined {
		return this.byCall.get(tidy(chosen));
	}

	/** Several templates of one name count as one with all their variables: the service chooses among them. */
	private add(call: string, found?: readonly string[]): void {
		const { variables } = this.byCall.get(call) ?? {};
		const all = variables && found ? [...new Set([...variables, ...found])] : (variables ?? found);
		this.byCall.set(call, { variables: all });
	}
}

/** A template rarely changes, and its text must be approved anew then. */
const REMEMBERED_MS = 5 * 60_000;

/** What this process knows of the templates of each account, for five minutes. */
export class TemplateMemory {
	private readonly lists = new Map<string, { templates: Templates; untilMs: number }>();

	constructor(private readonly clock: Clock) {}

	recall(accountId: string): Templates | undefined {
		const { templates, untilMs = -Infinity } = this.lists.get(accountId) ?? {};
		return untilMs > this.clock.elapsedMs() ? templates : undefined;
	}

	keep(accountId: string, templates: Templates): void {
		const nowMs = this.clock.elapsedMs();
		for (const [id, { untilMs }] of this.lists) if (untilMs <= nowMs) this.lists.delete(id);
		this.lists.set(accountId, { templates, untilMs: nowMs + REMEMBERED_MS });
	}
}
