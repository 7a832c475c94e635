import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CONTACT_COLUMNS } from '../../nodes/WorkspaceCrm/domain/contactColumns';
import type { Field } from '../../nodes/WorkspaceCrm/operations/fieldKinds';
import { contactItem, usesForOne } from '../operationCases';
import { operations } from '../support/operations';
import { chosen, contactId } from './support';

/** A place where a value of the action node can stand: a field, an option, a part of a row, a column. */
export interface Leaf {
	/** Resource, operation and label. */
	name: string;
	use: string;
	field: Field;
	/** Whether it is left out if it is nothing; otherwise, that is an error. */
	isLeftOut: boolean;
	/** The parameters of the node with this value there; without a value, the leaf is not there at all. */
	parameters: (value?: string) => INodeParameters;
}

export const contact = { id: contactId, phone: '+4915123456789' };

const forOne = usesForOne(contactItem(contact, 0));

/** The parameters of each operation that make it work for the contact, by resource and operation. */
export const uses: Record<string, INodeParameters> = {
	...forOne,
	'contact update': { ...forOne['contact update'], updateFields: { source: 'kept' } },
};

/** Other parameters that a field needs to be shown. */
function shownWith({ showWhen = {} }: Field): IDataObject {
	const [limitType] = showWhen.limitType ?? [];
	if (limitType !== undefined) return { limitType };
	return '/contactId.mode' in showWhen ? { contactId: chosen('phone', contact.phone) } : {};
}

/** The ways to save a value in a field, by the part of it that holds the value. */
function placesIn({ type, modes }: Field): Record<string, (value: string) => unknown> {
	if (type === 'resourceLocator') {
		const mode = modes?.find(({ name }) => name !== 'list')?.name ?? 'id';
		return { '': (value) => chosen(mode, value) };
	}
	if (type === 'fixedCollection') {
		return {
			' > Value': (value) => ({ values: [{ name: 'plan', value }] }),
			' > Name and Value': (value) => ({ values: [{ name: value, value }] }),
		};
	}
	if (type === 'resourceMapper') return {};
	return { '': (value) => value };
}

function leavesOf(use: string, field: Field, inCollection?: Field): Leaf[] {
	const { mayBeNothing = inCollection?.mayBeNothing ?? false, type } = field;
	const collection = inCollection?.name;
	return Object.entries(placesIn(field)).map(([place, save]) => ({
		name: `${use}: ${collection === undefined ? '' : `${inCollection?.displayName} > `}${field.displayName}${place}`,
		use,
		field: { across: inCollection?.across, ...field },
		isLeftOut: mayBeNothing || type === 'fixedCollection',
		parameters: (value) => {
			const part = { [field.name]: value === undefined ? undefined : save(value) };
			const base = { ...uses[use], ...shownWith(field) };
			if (collection === undefined) return withoutUndefined({ ...base, ...part });
			const others = (base as IDataObject)[collection] as IDataObject | undefined;
			return withoutUndefined({ ...base, [collection]: { ...others, ...part } });
		},
	}));
}

function withoutUndefined(parameters: object): INodeParameters {
	return JSON.parse(JSON.stringify(parameters)) as INodeParameters;
}

/** Columns of a sync and variables of a message, mapped by hand. */
function columnLeaves(): Leaf[] {
	const mapped = (value: IDataObject): IDataObject => ({
		mappingMode: 'defineBelow',
		value,
		schema: Object.keys(value).map((id) => ({ id, displayName: id, type: 'string' })),
	});
	const columns = [...CONTACT_COLUMNS.map(({ id }) => id), 'attributes.plan'];
	const mappers = operations.flatMap(({ use, fields }) =>
		fields
			.filter(({ type }) => type === 'resourceMapper')
			.flatMap(({ name }) =>
				name === 'columns'
					? columns
							.filter((id) => id !== 'phone')
							.map((id) => ({ use, id, name, others: { phone: contact.phone } as IDataObject }))
					: [{ use, id: '1', name, others: {} }],
			),
	);
	return mappers.map(({ use, id, name, others }) => ({
		name: `${use}: the column ${id}`,
		use,
		field: { displayName: id, name, type: 'string', default: '' },
		isLeftOut: true,
		parameters: (value) =>
			({
				...uses[use],
				// Otherwise, a blank variable of the template is an error.
				...(name === 'templateVariables' && { options: { sendBlankVariables: true } }),
				[name]: mapped(value === undefined ? others : { ...others, [id]: value }),
			}) as unknown as INodeParameters,
	}));
}

/** Every leaf of every operation, by the registry. */
export const leaves: readonly Leaf[] = [
	...operations.flatMap(({ use, fields }) =>
		fields.flatMap((field) =>
			field.type === 'collection'
				? (field.options as readonly Field[]).flatMap((option) => leavesOf(use, option, field))
				: leavesOf(use, field),
		),
	),
	...columnLeaves(),
];
