import { InputProblem } from '../../domain/problem';
import { defineOperation } from '../../operations/define';
import { contactFields, contactKeyOf, findContactId } from '../contactReference';
import {
	attributesField,
	attributesJsonField,
	localeField,
	nameField,
	readAttributes,
	sourceField,
} from './contactFields';
import { changeContact } from './save';

export const update = defineOperation({
	value: 'update',
	name: 'Update',
	action: 'Update contact',
	description: 'Change fields of an existing contact. Other fields stay unchanged.',
	hints: [
		{
			message: "Add a field under 'Update Fields'. Other fields stay unchanged.",
			when: 'Object.keys($parameter["updateFields"] ?? {}).length === 0',
		},
	],
	effect: 'idempotent',
	fields: [
		...contactFields,
		{
			displayName: 'Update Fields',
			name: 'updateFields',
			type: 'collection',
			placeholder: 'Add Field',
			default: {},
			role: 'adds',
			options: [attributesField, attributesJsonField, localeField, nameField, sourceField],
		},
	],

	concurrencyKey: contactKeyOf,

	async execute(api, { updateFields, ...contact }) {
		const { attributes, attributesJson, ...plain } = updateFields;
		const body = { ...plain, ...readAttributes(attributes, attributesJson) };
		if (Object.keys(body).length === 0) {
			throw new InputProblem(
				"'Update Fields' is empty, so there is nothing to update",
				'Add a field and give it a value. A field left blank is not sent; to empty one on purpose, use the expression {{ "" }}.',
			);
		}
		const id = await findContactId(api, contact);
		return (await changeContact(api, id, body)).record;
	},
});
