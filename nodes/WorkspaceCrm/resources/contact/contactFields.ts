import { ATTRIBUTE, EMPTIABLE } from '../../domain/contactColumns';
import { isJsonObject, type JsonObject, mergeJson } from '../../domain/plainData';
import { checkJson } from '../../domain/typedValues';
import { InputProblem, quoted } from '../../domain/inputProblem';
import type { Contact } from '../../crm/records';
import { json, text } from '../../operations/fieldBuilders';
import { asName, asWord, nameFinder } from '../../domain/sameText';
import type { Field, NameValue, Params } from '../../operations/fieldKinds';
import { recordField, textMode } from '../fields/recordField';

const localeField = text('Locale', 'locale', {
	placeholder: 'e.g. en',
	description: 'Language code of the contact',
});

const nameField = text('Name', 'name', {
	placeholder: 'e.g. Nathan Smith',
});

const sourceField = text('Source', 'source', {
	placeholder: 'e.g. web shop',
	description: 'Where the contact comes from',
});

export const attributesField = {
	displayName: 'Attributes',
	name: 'attributes',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Attribute' },
	default: {},
	placeholder: 'Add Attribute',
	description: 'Custom fields of the contact. Other attributes that it has are kept.',
	mayBeNothing: true,
	options: [
		{
			displayName: 'Attribute',
			name: 'values',
			values: [
				{
					...recordField(
						'Name',
						'name',
						{ placeholder: 'Select an attribute...', searchListMethod: 'searchAttributes' },
						textMode('name', 'By Name', { placeholder: 'e.g. plan' }),
					),
					required: false,
				},
				text('Value', 'value'),
			],
		},
	],
} as const satisfies Field;

export const attributesJsonField = json('Attributes (JSON)', 'attributesJson', {
	description:
		"Custom fields as a JSON object, for numbers, true/false and nested values. If a name is also in 'Attributes', the value in the JSON is used.",
	mayBeNothing: true,
});

/** Blank values never change a contact, so emptying a field takes a decision of its own. */
const fieldsToEmptyField = {
	displayName: 'Fields to Empty',
	name: 'fieldsToEmpty',
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getFieldsToEmpty' },
	default: [],
	description:
		'Fields and attributes whose value is removed: a field left blank elsewhere keeps its value. Their IDs are name, locale, source, and attributes.plan for the attribute plan. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	accepts: 'names',
	mayBeNothing: true,
} as const satisfies Field;

/** What can be changed of a contact. */
export const changeableFields = [
	attributesField,
	attributesJsonField,
	fieldsToEmptyField,
	localeField,
	nameField,
	sourceField,
] as const;

/** Sorts options as people look for them. */
export function byLabel<const F extends readonly Field[]>(fields: F): Array<F[number]> {
	// Not by a locale, which takes a third of the time to load this package.
	return [...fields].sort((a, b) => (a.displayName < b.displayName ? -1 : 1));
}

type ChangedFields = Params<typeof changeableFields>;

/**
 * The values of `changeableFields` as the API takes them.
 *
 * @throws InputProblem for a value that JSON cannot hold, and for a field to empty that has a value
 */
export function valuesToSend({
	attributes,
	attributesJson,
	fieldsToEmpty,
	...plain
}: Partial<ChangedFields>) {
	const given = { ...plain, ...readAttributes(attributes, attributesJson) };
	return withEmptied<typeof given & JsonObject>(given, fieldsToEmpty);
}

/**
 * Adds the fields to empty to the fields to send. The API reference shows no way to remove a value, so an empty
 * text takes its place.
 *
 * @param names such as `name` and `attributes.plan`
 * @throws InputProblem for a field that cannot be emptied, or that has a value to send
 */
export function withEmptied<T extends JsonObject>(contact: T, names: readonly string[] = []): T {
	const fields = names.map(emptied);
	const given = namesIn(contact);
	const givenAttributes = namesIn(contact.attributes);
	for (const [name, key] of fields) {
		if (!(key === undefined ? given.has(name) : givenAttributes.has(asName(key)))) continue;
		throw new InputProblem(
			`'${key ?? name}' has a value, and is also in 'Fields to Empty'`,
			'Take it out of one of them. Nothing was sent for this item.',
		);
	}
	const plain = fields.flatMap(([name, key]) => (key === undefined ? [[name, '']] : []));
	const keys = fields.flatMap(([, key]) => key ?? []);
	const attributes = Object.fromEntries(keys.map((key) => [key, '']));
	const empty = { ...Object.fromEntries(plain), ...(keys.length > 0 && { attributes }) };
	return mergeJson(contact, empty) as T;
}

/**
 * The fields to send, with attributes under the names that the contact has: another spelling, such as another encoding
 * of an accent, would make a second attribute. ASCII names need no request.
 *
 * @param read gives the contact
 */
export async function asContactHas<T extends JsonObject>(
	fields: T,
	read: () => Promise<Contact | undefined>,
): Promise<T> {
	const names = isJsonObject(fields.attributes) ? Object.entries(fields.attributes) : [];
	if (names.every(([name]) => /^[ -~]*$/.test(name))) return fields;
	const stored = (await read().catch(() => undefined))?.attributes ?? {};
	const known = nameFinder(Object.keys(stored));
	const attributes = names.map(([name, value]) => [known(name) ?? name, value] as const);
	return { ...fields, attributes: Object.fromEntries(attributes) };
}

function namesIn(object: unknown): ReadonlySet<string> {
	return new Set(isJsonObject(object) ? Object.keys(object).map(asName) : []);
}

/** A field by its name, or an attribute by its key. */
function emptied(name: string): [name: string, key?: string] {
	// What was chosen from the list stays as the contact has it.
	const key = name.startsWith(ATTRIBUTE) ? name.slice(ATTRIBUTE.length) : '';
	if (asName(key) !== '') return ['attributes', key];
	const field = EMPTIABLE.find((each) => each === asWord(name));
	if (field !== undefined) return [field];
	throw new InputProblem(
		`'Fields to Empty' holds ${quoted(name)}, which cannot be emptied`,
		"It takes name, locale, source, and attributes with 'attributes.' in front, such as attributes.plan.",
	);
}

/**
 * Reads the attributes to send.
 *
 * @param rows names and values; of a repeated name, the last value counts
 * @param json merged into the rows
 * @returns an empty object if there are none
 * @throws InputProblem for a value that JSON cannot hold
 */
export function readAttributes(
	rows: NameValue[] | undefined,
	json: JsonObject | undefined,
): { attributes?: JsonObject } {
	if (!rows && !json) return {};
	const fromRows = Object.fromEntries((rows ?? []).map(({ name, value }) => [name, value]));
	const attributes = mergeJson(
		checkJson(fromRows, 'Attributes'),
		checkJson(json ?? {}, 'Attributes (JSON)'),
	);
	return Object.keys(attributes).length > 0 ? { attributes } : {};
}
