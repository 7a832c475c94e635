import { readWholeContact } from '../../crm/lookUp';
import { InputProblem } from '../../domain/inputProblem';
import { defineOperation } from '../../operations/define';
import { collection } from '../../operations/fieldBuilders';
import { contactFields, contactKeyOf, findContactId } from '../fields/contactReference';
import { asContactHas, changeableFields, valuesToSend } from './contactFields';
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
		collection('Update Fields', 'updateFields', {
			placeholder: 'Add Field',
			mayBeNothing: true,
			options: changeableFields,
		}),
	],

	order: contactKeyOf,

	async execute(api, { updateFields, ...contact }, { memory }) {
		const body = valuesToSend(updateFields);
		if (Object.keys(body).length === 0) {
			throw new InputProblem(
				"'Update Fields' is empty, so there is nothing to update",
				"Add a field and give it a value. A field left blank is not sent; to empty one, choose it in 'Fields to Empty'.",
			);
		}
		const id = await findContactId(api, contact, memory);
		const named = await asContactHas(body, async () => await readWholeContact(api, { id }));
		return (await changeContact(api, id, named)).record;
	},
});
