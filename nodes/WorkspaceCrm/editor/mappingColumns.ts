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
import { sampleContacts } from './sampleContacts';

/** The columns of contacts: those that all have, and their attributes, as far as a sample shows them. */
export async function readContactColumns(
	context: ILoadOptionsFunctions,
): Promise<ResourceMapperFields> {
	const contacts = await sampleContacts(context).catch((error: unknown) => {
		// The editor forgets what is mapped to columns that do not come, and saves that.
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
 * The attributes that the node knows already. The sample may miss one, and the editor forgets what is
 * mapped to a column that is gone.
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

/** Columns that the user adds: untouched, a switch would mean no, and a code editor shows an error. */
const ADDED_BY_HAND: ReadonlyArray<Column['type']> = ['array', 'boolean', 'object'];

const YES_OR_NO = [
	{ name: 'Yes', value: 'yes' },
	{ name: 'No', value: 'no' },
	{ name: "Don't Change", value: '' },
];

function toField({ id, displayName, type, note }: Column): ResourceMapperField {
	const isKey = id === 'phone';
	const label = plainText(displayName, MAX_LABEL_CHARACTERS);
	return {
		id,
		displayName: note === undefined ? label : `${label} (${note})`,
		type,
		// An item has a phone or an ID.
		required: false,
		defaultMatch: isKey,
		canBeUsedToMatch: isKey,
		display: true,
		...(type === 'options' && { options: YES_OR_NO }),
		...(ADDED_BY_HAND.includes(type) && { removed: true }),
	};
}
