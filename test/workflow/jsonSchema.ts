import type { IDataObject } from 'n8n-workflow';

/** As much of JSON Schema as output schemas use. Objects without `properties` may hold anything. */
export interface Schema {
	type: 'array' | 'boolean' | 'number' | 'object' | 'string';
	properties?: Record<string, Schema>;
	items?: Schema;
}

/**
 * Where records depart from a schema: a property that is missing, null in every record, of another
 * type, or not in the schema. As in n8n's own schemas, null counts for a value of any type.
 */
export function departures(schema: Schema, records: IDataObject[]): string[] {
	return [...new Set(departuresAt('', schema, records))];
}

function departuresAt(place: string, schema: Schema, values: unknown[]): string[] {
	const known = values.filter((value) => value !== null);
	if (known.length === 0) return [`${place} is never given`];
	const others = known.filter((value) => typeOf(value) !== schema.type);
	if (others.length > 0) return others.map((value) => `${place} is of type ${typeOf(value)}`);
	if (schema.items) return departuresAt(`${place}[]`, schema.items, known.flat());
	return schema.properties ? ofProperties(place, schema.properties, known as IDataObject[]) : [];
}

function ofProperties(
	place: string,
	properties: Record<string, Schema>,
	records: IDataObject[],
): string[] {
	const unlisted = records.flatMap(Object.keys).filter((key) => !(key in properties));
	return [
		...unlisted.map((key) => `${place}.${key} is not in the schema`),
		...Object.entries(properties).flatMap(([key, schema]) =>
			records.every((record) => key in record)
				? departuresAt(
						`${place}.${key}`,
						schema,
						records.map((record) => record[key]),
					)
				: [`${place}.${key} is missing`],
		),
	];
}

function typeOf(value: unknown): string {
	return Array.isArray(value) ? 'array' : typeof value;
}
