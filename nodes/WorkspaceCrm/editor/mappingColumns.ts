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
} from '../domain/contactColumns';
import { isJsonObject } from '../domain/json';
import { MAX_LABEL_CHARACTERS, plainText } from '../domain/text';
import { YES_OR_NO } from '../domain/yesNo';
import { sampleContacts } from './sampleContacts';

/** The columns of contacts: the fixed ones, and the attributes found in a sample. */
export async function readContactColumns(
	context: ILoadOptionsFunctions,
): Promise<ResourceMapperFields> {
	const contacts = await sampleContacts(context).catch((error: unknown) => {
		// Without its columns, the editor would drop the mapping and save that.
		if (hasMapping(context)) return [];
		throw error;
	});
	const attributes = attributeColumns(contacts).map(toField);
	const found = new Set(attributes.map(({ id }) => id));
	const others = knownAttributes(context).filter(({ id }) => !found.has(id));
	const byId = { ...toField(ID_COLUMN), removed: true };
	return { fields: [...CONTACT_COLUMNS.map(toField), byId, ...attributes, ...others] };
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

function toField({ id, displayName, type, note }: Column): ResourceMapperField {
	const isKey = id === 'phone';
	const label = plainText(displayName, MAX_LABEL_CHARACTERS);
	return {
		id,
		displayName: note === undefined ? label : `${label} (${note})`,
		type,
		// Each item needs a phone or an ID, so neither is required.
		required: false,
		defaultMatch: isKey,
		canBeUsedToMatch: isKey,
		display: true,
		...(type === 'options' && { options: [...YES_OR_NO] }),
		...(ADDED_BY_HAND.includes(type) && { removed: true }),
	};
}
