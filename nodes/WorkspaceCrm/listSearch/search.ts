import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { createApi, type ListRequest } from '../api/api';
import { readChoice, type Choice } from '../api/assumptions';
import { toNodeError } from '../operations/errors';

/** A drop-down would rather say that the limit is used up than spin for minutes. */
const MAX_REFUSAL_WAIT_MS = 10_000;

/**
 * The entries of a drop-down: the records of a list whose name or value contains the text typed.
 *
 * @param toChoice how a record is shown; by default by its name, with its id as the value
 */
export async function searchList(
	context: ILoadOptionsFunctions,
	request: ListRequest,
	filter = '',
	toChoice: (row: unknown) => Choice | undefined = readChoice,
): Promise<INodeListSearchResult> {
	const wanted = filter.trim().toLowerCase();
	try {
		const api = await createApi(context, undefined, MAX_REFUSAL_WAIT_MS);
		const choices = (await api.list(request)).flatMap((row) => toChoice(row) ?? []);
		return {
			results: choices.filter(({ name, value }) =>
				`${name} ${value}`.toLowerCase().includes(wanted),
			),
		};
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
}
