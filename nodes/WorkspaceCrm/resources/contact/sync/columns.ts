import type {
	ILoadOptionsFunctions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';

import {
	ATTRIBUTE,
	attributeColumns,
	CONTACT_COLUMNS,
	ID_COLUMN,
	type Column,
} from '../../../domain/contactColumns';
import { isJsonObject } from '../../../domain/json';
import { YES_OR_NO } from '../../../domain/typedValues';
import { sampleContacts } from '../../../editor/dropDowns';
import { emptyOnError, toField } from '../../../editor/mapperFields';
import { CREDENTIAL_TYPE } from '../../../n8n/credentials';

export const getContactColumns = emptyOnError(readContactColumns);

/** The columns of contacts: the fixed ones, and the attributes found in a sample. */
async function readContactColumns(context: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	// The editor opens a new node before it has set the credential. Without columns, it would show all of them after a retry.
	const isReady = context.getNode().credentials?.[CREDENTIAL_TYPE] !== undefined;
	const sample = isReady ? sampleContacts(context) : Promise.resolve([]);
	const contacts = await sample.catch((error: unknown) => {
		// Without its columns, the editor would drop the mapping and save that.
		if (hasMapping(context)) return [];
		throw error;
	});
	const attributes = attributeColumns(contacts).map(toColumn);
	const found = new Set(attributes.map(({ id }) => id));
	const others = knownAttributes(context).filter(({ id }) => !found.has(id));
	const byId = { ...toColumn(ID_COLUMN), removed: true };
	return { fields: [...CONTACT_COLUMNS.map(toColumn), byId, ...attributes, ...others] };
}

/**
 * The attributes that the node already has. The sample may miss one, and the editor drops the mapping of a
 * missing column.
 */
function knownAttributes(context: ILoadOptionsFunctions): ResourceMapperField[] {
	const schema = context.getCurrentNodeParameter('columns.schema');
	if (!Array.isArray(schema)) return [];
	return (schema as ResourceMapperField[]).filter(({ id }) => id.startsWith(ATTRIBUTE));
}

function hasMapping(context: ILoadOptionsFunctions): boolean {
	const mapped = context.getCurrentNodeParameter('columns.value');
	return isJsonObject(mapped) && Object.keys(mapped).length > 0;
}

/** Columns that the user has to add: an untouched switch would mean no, and an empty code editor shows an error. */
const ADDED_BY_HAND: ReadonlyArray<Column['type']> = ['array', 'boolean', 'object'];

function toColumn({ id, displayName, type, note }: Column): ResourceMapperField {
	const isKey = id === 'phone';
	return {
		// Each item needs a phone or an ID, so neither is required.
		...toField(id, note === undefined ? displayName : `${displayName} (${note})`),
		type,
		defaultMatch: isKey,
		canBeUsedToMatch: isKey,
		...(type === 'options' && { options: [...YES_OR_NO] }),
		...(ADDED_BY_HAND.includes(type) && { removed: true }),
	};
}
