import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { MAX_PAGE_SIZE } from '../api/pagination';
import { isJsonObject } from '../domain/json';
import { path } from '../domain/path';
import { searchList } from './search';

/** Contacts whose name or phone the service finds; two of the same name are told apart by phone. */
export async function searchContacts(this: ILoadOptionsFunctions, filter?: string) {
	const search = filter?.trim();
	const request = {
		path: path`/v1/contacts`,
		...(search && { query: { search } }),
		isPaged: true,
		wanted: MAX_PAGE_SIZE,
	};
	// The service has filtered already, and it may know better what matches.
	return await searchList(this, request, '', toChoice);
}

function toChoice(row: unknown) {
	if (!isJsonObject(row) || typeof row.id !== 'string') return undefined;
	const label = [row.name, row.phone].filter((text) => typeof text === 'string' && text !== '');
	return { name: label.join(' · ') || row.id, value: row.id };
}
