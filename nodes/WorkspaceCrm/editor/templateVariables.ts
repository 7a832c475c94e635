import type {
	ILoadOptionsFunctions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';

import { readChoice, readTemplateVariables } from '../api/assumptions';
import { path } from '../api/urls';
import { MAX_LABEL_CHARACTERS, plainText } from '../domain/text';
import { listRecords } from './choices';

/** One field for each variable in the record of the chosen template. */
export async function readVariableFields(
	context: ILoadOptionsFunctions,
): Promise<ResourceMapperFields> {
	const chosen = String(context.getCurrentNodeParameter('template', { extractValue: true }) ?? '');
	if (chosen === '') return { fields: [], emptyFieldsNotice: 'Choose a template first.' };

	const templates = await listRecords(context, path`/v1/templates`);
	const template = templates.find(
		(record) => readChoice(record)?.value === chosen || record.name === chosen,
	);
	return {
		fields: readTemplateVariables(template ?? {}).map(toField),
		emptyFieldsNotice:
			"n8n cannot list any variables for this template. If the template has variables, add them to 'Other Variables' under 'Options'.",
	};
}

function toField(name: string): ResourceMapperField {
	return {
		id: name,
		displayName: plainText(name, MAX_LABEL_CHARACTERS),
		type: 'string',
		required: false,
		defaultMatch: false,
		display: true,
	};
}
