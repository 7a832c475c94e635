import type {
	ILoadOptionsFunctions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';

import { callsOfTemplate, PLACEHOLDER, readTemplateText } from '../crm/assumptions';
import { endpoints } from '../crm/endpoints';
import { Templates } from '../crm/templates';
import type { Column } from '../domain/contactColumns';
import { asName } from '../domain/sameText';
import { excerpt, labelText } from '../domain/text';
import { toTriggerError } from '../operations/nodeErrors';
import { listRecords } from './choices';

/**
 * If the fields cannot be read, returns none and the reason as a notice: for an error, the editor would only
 * say that no columns were found.
 */
export function emptyOnError(
	readFields: (context: ILoadOptionsFunctions) => Promise<ResourceMapperFields>,
) {
	return async function (this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
		return await readFields(this).catch((error: unknown) => ({
			fields: [],
			emptyFieldsNotice: toTriggerError(this.getNode(), error).message,
		}));
	};
}

export function toField({ id, displayName, type, note }: Column): ResourceMapperField {
	const isKey = id === 'phone';
	const label = labelText(displayName);
	return {
		id,
		displayName: note === undefined ? label : `${label} (${note})`,
		type,
		// Each item needs a phone or an ID, so neither is required.
		required: false,
		defaultMatch: isKey,
		canBeUsedToMatch: isKey,
		display: true,
	};
}

/** One field for each variable of the chosen template. */
export const getTemplateVariables = emptyOnError(async (context) => {
	const schema = context.getCurrentNodeParameter('templateVariables.schema');
	const saved = Array.isArray(schema) ? (schema as ResourceMapperField[]) : [];
	const chosen = String(context.getCurrentNodeParameter('template', { extractValue: true }) ?? '');
	// An expression has no value without input.
	if (chosen === '') return { fields: saved, emptyFieldsNotice: 'Choose a template first.' };

	// Without its fields, the editor would drop the values and save that.
	const records = await listRecords(context, endpoints.getTemplates()).catch((error: unknown) => {
		if (saved.length === 0) throw error;
		return [];
	});
	const called = records.filter((record) => callsOfTemplate(record).includes(asName(chosen)));
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
});

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
