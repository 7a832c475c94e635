import { isCampaignAttribute } from './campaignMark';
import { isJsonObject } from './json';

/** The kinds of values that the editor knows for columns. */
type ColumnType = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'options';

/** Something of a contact that a value can be mapped to. */
export interface Column {
	id: string;
	displayName: string;
	type: ColumnType;
	/** What a person should know who fills it in. */
	note?: string;
	/** Other names that people give it in their sheets. */
	aliases?: readonly string[];
}

/** What the id of an attribute's column begins with. */
export const ATTRIBUTE = 'attributes.';

/** The columns that every workspace has. Tags are text, which lets an array by expression through. */
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
	// No switch: that cannot be left blank, and shows a yes or a no where nobody chose.
	{ id: 'opt_in', displayName: 'Opt In', type: 'options', note: 'wants messages' },
	{
		id: 'consent_proof',
		displayName: 'Consent Proof',
		type: 'string',
		note: 'how, when',
	},
];

/** Names a contact that exists. By its name alone, an input column could be the ID of anything. */
export const ID_COLUMN: Column = {
	id: 'id',
	displayName: 'Contact ID',
	type: 'string',
	note: 'instead of the phone',
};

/**
 * A column for each attribute that one of the contacts has, by name. Its type is that of their
 * values when they agree; a column of text takes any value by expression.
 */
export function attributeColumns(contacts: ReadonlyArray<{ attributes?: unknown }>): Column[] {
	const types = new Map<string, Set<ColumnType>>();
	for (const { attributes } of contacts) {
		for (const [key, value] of Object.entries(isJsonObject(attributes) ? attributes : {})) {
			if (isCampaignAttribute(key)) continue;
			const sofar = types.get(key) ?? new Set();
			const type = Array.isArray(value) ? 'array' : (typeof value as ColumnType);
			types.set(key, value === null ? sofar : sofar.add(type));
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
