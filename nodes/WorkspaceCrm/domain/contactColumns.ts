import { isCampaignAttribute } from './campaignMark';
import { isJsonObject } from './json';

type ColumnType = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'options';

/** A field of a contact that a value can be mapped to. */
export interface Column {
	id: string;
	displayName: string;
	type: ColumnType;
	/** A short explanation, shown behind the name. */
	note?: string;
	/** Names that people use for it in their sheets. */
	aliases?: readonly string[];
}

/** The prefix of the IDs of attribute columns. */
export const ATTRIBUTE = 'attributes.';

/** The columns that every workspace has. Tags are text because a text column also accepts an array by expression. */
export const CONTACT_COLUMNS: readonly Column[] = [
	{
		id: 'phone',
		displayName: 'Phone',
		type: 'string',
		aliases: [
			'Phone Number',
			'Mobile',
			'Mobile Phone',
			'Mobile Number',
			'Cell Phone',
			'Telephone',
			'WhatsApp',
			'WhatsApp Number',
		],
	},
	{ id: 'name', displayName: 'Name', type: 'string', aliases: ['Full Name'] },
	{ id: 'locale', displayName: 'Locale', type: 'string', note: 'language, e.g. en' },
	{ id: 'source', displayName: 'Source', type: 'string', note: 'e.g. website' },
	{ id: 'tags', displayName: 'Tags', type: 'string', note: 'separated by commas' },
	{ id: 'opt_in', displayName: 'Opt In', type: 'options', note: 'wants messages' },
	{ id: 'consent_proof', displayName: 'Consent Proof', type: 'string', note: 'how, when' },
];

/** Identifies an existing contact. Kept apart, because an input column named `id` may be the ID of anything. */
export const ID_COLUMN: Column = {
	id: 'id',
	displayName: 'Contact ID',
	type: 'string',
	note: 'instead of the phone',
};

/**
 * A column for each attribute of the contacts, by name. If the values have different types, it is a text
 * column, which accepts any value by expression.
 */
export function attributeColumns(contacts: ReadonlyArray<{ attributes?: unknown }>): Column[] {
	const types = new Map<string, Set<ColumnType>>();
	for (const { attributes } of contacts) {
		for (const [key, value] of Object.entries(isJsonObject(attributes) ? attributes : {})) {
			if (isCampaignAttribute(key)) continue;
			const previous = types.get(key) ?? new Set();
			const type = Array.isArray(value) ? 'array' : (typeof value as ColumnType);
			types.set(key, value === null ? previous : previous.add(type));
		}
	}
	return [...types]
		.map(([key, [type = 'string', ...others]]) =>
			attributeColumn(key, others.length > 0 ? 'string' : type),
		)
		.sort((a, b) => a.id.localeCompare(b.id, 'en'));
}

export function attributeColumn(key: string, type: ColumnType): Column {
	return { id: `${ATTRIBUTE}${key}`, displayName: `Attribute: ${key}`, type };
}
