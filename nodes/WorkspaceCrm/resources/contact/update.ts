import { InputProblem } from '../../domain/problem';
import { path } from '../../domain/path';
import { defineOperation } from '../../operations/define';
import { contactField } from '../fields';
import { contactLane, findContactId } from '../references';
import { readAttributes } from './body';
import {
	attributesField,
	attributesJsonField,
	localeField,
	nameField,
	sourceField,
} from './fields';

export const update = defineOperation({
	value: 'update',
	name: 'Update',
	action: 'Update contact',
	description: 'Change fields of an existing contact; what is not given stays',
	fields: [
		contactField,
		{
			displayName: 'Update Fields',
			name: 'updateFields',
			type: 'collection',
			placeholder: 'Add Field',
			default: {},
			options: [attributesField, attributesJsonField, localeField, nameField, sourceField],
		},
	],

	lane: ({ contactId }) => contactLane(contactId),

	async execute(api, { contactId, updateFields }) {
		const { attributes, attributesJson, ...plain } = updateFields;
		const body = { ...plain, ...readAttributes(attributes, attributesJson) };
		if (Object.keys(body).length === 0) {
			throw new InputProblem(
				"'Update Fields' is empty, so there is nothing to update",
				'Add a field and give it a value. A field left blank is not sent; to empty one on purpose, use the expression {{ "" }}.',
			);
		}
		const id = await findContactId(api, contactId);
		return await api.sendForRecord({
			method: 'PATCH',
			path: path`/v1/contacts/${id}`,
			body,
			repeatable: true,
		});
	},
});
