import type {
	ILoadOptionsFunctions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';

import { readChoice } from '../api/assumptions';
import { readTemplateVariables, type TemplateVariable } from '../api/templateRecord';
import { path } from '../api/path';
import { MAX_LABEL_CHARACTERS, plainText } from '../domain/text';
import { listRecords } from './choices';

/** The variables of the template that is chosen, one field for each variable that its record names. */
export async function readVariableFields(
	context: ILoadOptionsFunctions,
): Promise<ResourceMapperFields> {
	const chosen = String(context.getCurrentNodeParameter('template', { extractValue: true }) ?? '');
	if (chosen === '') return { fields: [], emptyFieldsNotice: 'Choose a template first.' };

	const templates = await listRecords(context, path`/v1/templates`);
	const template = templates.find(
		(record) => readChoice(record, 'template')?.value === chosen || record.name === chosen,
	);
	const { variables, hasMore } = readTemplateVariables(template ?? {});
	// The fields have no other place to say it.
	const last = variables.at(-1);
	if (hasMore && last) last.context = "add more under 'Other Variables'";
	return {
		fields: variables.map(toField),
		emptyFieldsNotice:
			"n8n cannot list any variables for this template. If the template has variables, add them under 'Other Variables'.",
	};
}

function toField({ name, context }: TemplateVariable): ResourceMapperField {
	const label = context === undefined ? name : `${name}: ${context}`;
	return {
		id: name,
		displayName: plainText(label, MAX_LABEL_CHARACTERS),
		type: 'string',
		required: false,
		defaultMatch: false,
		display: true,
	};
}
