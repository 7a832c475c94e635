import { endpoints } from '../../crm/endpoints';
import { defineOperation, optionsOf } from '../../operations/define';
import { InputProblem } from '../../domain/inputProblem';
import { count } from '../../operations/fieldBuilders';
import { optionsCollection } from '../../operations/sharedFields';
import { contactFields, findContactId } from '../fields/contactReference';

/** More items than this are seldom meant: an agent or a wrong expression can send a whole list. */
const MAX_ERASED = 10;

export const deleteContact = defineOperation({
	value: 'delete',
	name: 'Delete',
	action: 'Delete contact',
	description: 'Erase a contact permanently, together with its consent trail and its tag links',
	hints: [
		{
			message:
				'This operation erases the contact, its consent trail and its tag links. You cannot undo this.',
		},
	],
	effect: 'idempotent',
	fields: [
		...contactFields,
		{
			...optionsCollection,
			options: [
				count('Erase at Most', 'maxContacts', MAX_ERASED, {
					description: `If the input has more items than this, none of them is erased. ${MAX_ERASED} if this option is not added.`,
					across: 'first',
				}),
			],
		},
	],

	assertCanRun(_context, items) {
		const most = optionsOf(items)?.maxContacts ?? MAX_ERASED;
		if (items.length <= most) return;
		throw new InputProblem(
			`The input has ${items.length} items, and 'Erase at Most' is ${most}, so no contact was erased`,
			"Check that the input holds only the contacts to erase. If it does, raise 'Erase at Most' under 'Options'.",
		);
	},

	async execute(api, { contactId, defaultCountry }, { memory }) {
		const id = await findContactId(api, { contactId, defaultCountry }, memory);
		await api.send(endpoints.deleteContact(id));
		return { deleted: true };
	},
});
