import type {
	ILoadOptionsFunctions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';

import {
	ATTRIBUTE,
	attributeColumns,
	CONTACT_COLUMNS,
	type Column,
} from '../domain/contactColumns';
import { MAX_LABEL_CHARACTERS, plainText } from '../domain/text';
import { askForEditor } from './choices';

/** The columns of contacts: those that all have, and their attributes, as far as a sample shows them. */
export async function readContactColumns(
	context: ILoadOptionsFunctions,
): Promise<ResourceMapperFields> {
	const { contacts } = await askForEditor(context, async (api) => await api.contactsPage(0));
	const attributes = attributeColumns(contacts).map(toField);
	const found = new Set(attributes.map(({ id }) => id));
	const others = knownAttributes(context).filter(({ id }) => !found.has(id));
	return { fields: [...CONTACT_COLUMNS.map(toField), ...attributes, ...others] };
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

function toField({ id, displayName, type }: Column): ResourceMapperField {
	const isKey = id === 'phone';
	return {
		id,
		displayName: plainText(displayName, MAX_LABEL_CHARACTERS),
		type,
		required: isKey,
		defaultMatch: isKey,
		canBeUsedToMatch: isKey,
		display: true,
		// A switch cannot be left blank: shown from the start, it would say no where nobody chose.
		...(type === 'boolean' && { removed: true }),
	};
}
