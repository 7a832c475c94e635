import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { createApi, EDITOR_PATIENCE, type Api, type ListRequest } from '../api/api';
import { readChoice, type Choice } from '../api/assumptions';
import { toNodeError } from '../operations/errors';

/**
 * Asks the service something for the editor.
 *
 * @throws the error that the editor shows in place of a drop-down's entries
 */
export async function askForEditor<T>(
	context: ILoadOptionsFunctions,
	ask: (api: Api) => Promise<T>,
): Promise<T> {
	try {
		return await ask(await createApi(context, undefined, EDITOR_PATIENCE));
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
}

/** The records of a list that the service gives whole, as entries of a drop-down. */
export async function listChoices(
	context: ILoadOptionsFunctions,
	request: Pick<ListRequest, 'path'>,
): Promise<Choice[]> {
	const list = { ...request, isPaged: false, wanted: Infinity };
	const records = await askForEditor(context, async (api) => await api.list(list));
	return distinct(records.flatMap((record) => readChoice(record) ?? []));
}

/** Those whose name or value contains the text typed. */
export async function searchList(
	context: ILoadOptionsFunctions,
	request: Pick<ListRequest, 'path'>,
	filter = '',
): Promise<INodeListSearchResult> {
	const wanted = filter.trim().toLowerCase();
	const choices = await listChoices(context, request);
	const results = choices.filter(({ name, value }) =>
		`${name} ${value}`.toLowerCase().includes(wanted),
	);
	return { results };
}

/** Entries of the same name get their value behind it, so that they can be told apart. */
export function distinct(choices: Choice[]): Choice[] {
	const counts = new Map<string, number>();
	for (const { name } of choices) counts.set(name, (counts.get(name) ?? 0) + 1);
	return choices.map(({ name, value }) => ({
		name: counts.get(name) === 1 || name === value ? name : `${name} (${value})`,
		value,
	}));
}
