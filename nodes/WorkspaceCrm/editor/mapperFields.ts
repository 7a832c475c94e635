import type {
	ILoadOptionsFunctions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';

import { callsOfTemplate, PLACEHOLDER, readTemplateText } from '../crm/assumptions';
import { endpoints } from '../crm/endpoints';
import { Templates } from '../crm/templates';
import {
	ATTRIBUTE,
	attributeColumns,
	CONTACT_COLUMNS,
	ID_COLUMN,
	type Column,
} from '../domain/contactColumns';
import { isJsonObject } from '../domain/json';
import { excerpt, MAX_LABEL_CHARACTERS, plainText, tidy } from '../domain/text';
import { YES_OR_NO } from '../domain/typedValues';
import { CREDENTIAL_TYPE } from '../n8n/credentials';
import { toTriggerError } from '../operations/nodeErrors';
import { listRecords } from './choices';
import { sampleContacts } from './dropDowns';

/** The columns of resource mappers, by the method names in their fields. */
export const resourceMapping = {
	getContactColumns: emptyOnError(readContactColumns),
	getTemplateVariables: emptyOnError(readVariableFields),
};

/**
 * If the fields cannot be read, returns none and the reason as a notice: for an error, the editor would only
 * say that no columns were found.
 */
function emptyOnError(
	readFields: (context: ILoadOptionsFunctions) => Promise<ResourceMapperFields>,
) {
	return async function (this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
		return await readFields(this).catch((error: unknown) => ({
			fields: [],
			emptyFieldsNotice: toTriggerError(this.getNode(), error).message,
		}));
	};
}

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

/** One field for each variable of the chosen template. */
async function readVariableFields(context: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const saved = savedVariables(context);
	const chosen = String(context.getCurrentNodeParameter('template', { extractValue: true }) ?? '');
	// An expression has no value without input.
	if (chosen === '') return { fields: saved, emptyFieldsNotice: 'Choose a template first.' };

	// Without its fields, the editor would drop the values and save that.
	const records = await listRecords(context, endpoints.getTemplates()).catch((error: unknown) => {
		if (saved.length === 0) throw error;
		return [];
	});
	const called = records.filter((record) => callsOfTemplate(record).includes(tidy(chosen)));
	const names = new Templates(called).get(chosen)?.variables;
	const text = called.map(readTemplateText).find((each) => each !== undefined);
	const labelOf = variableLabels(text);
	const fields = names?.map((name) =>
		toField({ id: name, displayName: labelOf(name), type: 'string' }),
	);
	return {
		fields: fields ?? saved,
		emptyFieldsNotice:
			"n8n cannot list any variables for this template. If the template has variables, add them to 'Other Variables' under 'Options'.",
	};
}

/** The variables that the node already has. */
function savedVariables(context: ILoadOptionsFunctions): ResourceMapperField[] {
	const schema = context.getCurrentNodeParameter('templateVariables.schema');
	return Array.isArray(schema) ? (schema as ResourceMapperField[]) : [];
}

/** n8n cuts off longer labels. */
const SHOWN_WORDS = 27;

/** Labels of variables: the name, and the words around it in the text: `1: Hi {{1}}, your order…`. */
function variableLabels(text = ''): (name: string) => string {
	const places = new Map<string | undefined, number>();
	for (const { 1: name, index } of text.matchAll(PLACEHOLDER))
		if (!places.has(name)) places.set(name, index);
	return (name) => {
		const place = places.get(name);
		return place === undefined ? name : `${name}: ${excerpt(text, SHOWN_WORDS, place)}`;
	};
}
