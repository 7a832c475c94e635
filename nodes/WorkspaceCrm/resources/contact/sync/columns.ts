import type { ResourceMapperField } from 'n8n-workflow';

import {
	ATTRIBUTE,
	attributeColumns,
	CONTACT_COLUMNS,
	ID_COLUMN,
	type Column,
} from '../../../domain/contactColumns';
import { isJsonObject } from '../../../domain/plainData';
import { YES_OR_NO } from '../../../operations/sharedFields';
import { sampleContacts } from '../../../editor/dropDowns';
import { emptyOnError, toField } from '../../../editor/mapperFields';
import { CREDENTIAL_TYPE } from '../../../n8n/credentials';

/** What the node already has. */
interface Saved {
	schema?: unknown;
	value?: unknown;
}

/** The columns of contacts: the fixed ones, and the attributes found in a sample. */
export const getContactColumns = emptyOnError(async (context) => {
	const { schema, value } = Object(context.getCurrentNodeParameter('columns')) as Saved;
	// The editor opens a new node before it has set the credential. Without columns, it would show all of them after a retry.
	const isReady = context.getNode().credentials?.[CREDENTIAL_TYPE] !== undefined;
	const sample = isReady ? sampleContacts(context) : Promise.resolve([]);
	const contacts = await sample.catch((error: unknown) => {
		// Without its columns, the editor would drop the mapping and save that.
		if (isJsonObject(value) && Object.keys(value).length > 0) return [];
		throw error;
	});
	const attributes = attributeColumns(contacts).map(toColumn);
	const found = new Set(attributes.map(({ id }) => id));
	// The sample may miss one, and the editor drops the mapping of a missing column.
	const known = Array.isArray(schema) ? (schema as ResourceMapperField[]) : [];
	const others = known.filter(({ id }) => id.startsWith(ATTRIBUTE) && !found.has(id));
	const byId = { ...toColumn(ID_COLUMN), removed: true };
	return { fields: [...CONTACT_COLUMNS.map(toColumn), byId, ...attributes, ...others] };
});

/** Columns that the user has to add: an untouched switch would mean no, and an empty code editor shows an error. */
const ADDED_BY_HAND: ReadonlyArray<Column['type']> = ['array', 'boolean', 'object'];

function toColumn(column: Column): ResourceMapperField {
	return {
		...toField(column),
		...(column.type === 'options' && { options: [...YES_OR_NO] }),
		...(ADDED_BY_HAND.includes(column.type) && { removed: true }),
	};
}
