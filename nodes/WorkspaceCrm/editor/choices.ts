import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { createApi, processRuntime } from '../n8n/connect';
import type { Api } from '../crm/client';
import type { Choice } from '../crm/assumptions';
import { CrmError } from '../crm/crmError';
import type { Call } from '../crm/endpoints';
import { textOrEmpty, type WireRecord } from '../crm/records';
import { asWord } from '../domain/sameText';
import { excerpt, labelText } from '../domain/text';
import { EDITOR_LIMIT_MS, EDITOR_MAX_WAIT_MS } from '../domain/timeLimits';
import { toNodeError } from '../operations/nodeErrors';

/**
 * Reads from the service for the editor.
 *
 * @throws the error that the editor shows instead of a drop-down's entries
 */
export async function askForEditor<T>(
	context: ILoadOptionsFunctions,
	ask: (api: Api) => Promise<T>,
	runtime = processRuntime,
): Promise<T> {
	const signal = runtime.clock.signalAfter(EDITOR_LIMIT_MS);
	try {
		return await ask(await createApi(context, { runtime, signal, maxWaitMs: EDITOR_MAX_WAIT_MS }));
	} catch (error) {
		throw toNodeError(context.getNode(), signal.aborted ? CHOICES_TOO_SLOW : error);
	}
}

const CHOICES_TOO_SLOW = new CrmError(
	'The service took too long to answer',
	'Try again in a few minutes. Until then, you can enter the name or the ID instead of choosing it.',
);

/** Nobody searches a longer list, and reading it would use up the rate limit. */
const MAX_CHOICES = 10_000;

/** The records of a list without pages. */
export async function listRecords(
	context: ILoadOptionsFunctions,
	call: Call<'list'>,
): Promise<WireRecord[]> {
	const ifIncomplete = 'Enter the name or the ID instead of choosing it.';
	const options = { maxTotal: MAX_CHOICES, ifIncomplete };
	return await askForEditor(context, async (api) => await api.list(call, options));
}

/** The same records as entries of a drop-down, sorted by name. */
export async function listChoices(
	context: ILoadOptionsFunctions,
	call: Call<'list'>,
	toChoice: (record: WireRecord) => Choice | undefined,
): Promise<Choice[]> {
	const groups = new Map<string, Array<Choice & { record: WireRecord }>>();
	for (const record of await listRecords(context, call)) {
		const choice = toChoice(record);
		if (!choice) continue;
		const group = groups.get(choice.name) ?? [];
		groups.set(choice.name, group);
		group.push({ ...choice, record });
	}
	const choices = [...groups.values()].flatMap(withDifferences);
	return distinct(choices).sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
}

/** Adds to the names of records of one name the short values in which they differ, such as their languages. */
function withDifferences(choices: Array<Choice & { record: WireRecord }>): Choice[] {
	const fields = new Set(choices.flatMap(({ record }) => Object.keys(record)));
	const differing = [...fields].filter(
		(field) => new Set(choices.map(({ record }) => shortValue(record[field]))).size > 1,
	);
	return choices.map(({ record, name, value, text }) => {
		const values = differing.map((field) => shortValue(record[field]));
		const shown = values.filter((short) => short !== '' && short !== value);
		return { name: [name, ...shown].join(' · '), value, text };
	});
}

/** Longer ones are times, IDs and texts. */
const SHORT = 12;

function shortValue(value: unknown): string {
	const text = textOrEmpty(value);
	return text.length <= SHORT ? text : '';
}

/** The choices whose name, value or text contains the filter. */
export function matching(choices: Choice[], filter = ''): INodeListSearchResult {
	const sought = asWord(filter);
	const results = choices.filter(({ name, value, text = '' }) =>
		asWord(`${name} ${value} ${text}`).includes(sought),
	);
	return { results: toEntries(results) };
}

/**
 * Makes choices safe to show in the editor. A value that n8n would run as an expression is not offered.
 */
export function toEntries(choices: Choice[]): Choice[] {
	return choices
		.filter(({ value }) => !value.startsWith('='))
		.map(({ name, value, text }) => ({
			name: labelText(text ? `${name} · ${excerpt(text, 60)}` : name),
			value,
		}));
}

/** Adds the value to names that occur more than once. */
export function distinct(choices: Choice[]): Choice[] {
	const counts = new Map<string, number>();
	for (const { name } of choices) counts.set(name, (counts.get(name) ?? 0) + 1);
	return choices.map((choice) => {
		const { name, value } = choice;
		if (counts.get(name) === 1 || name === value) return choice;
		return { ...choice, name: `${name} (${value})` };
	});
}
