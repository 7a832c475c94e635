import type { JsonObject } from '../records';
import { invalid } from './api-error';
import { isObject } from './body';

/** Refuses fields that the endpoint does not know, so that a client's typing error shows. */
export function onlyFields(body: JsonObject, known: readonly string[]): void {
	const unknown = Object.keys(body).find((field) => !known.includes(field));
	if (unknown !== undefined) throw invalid(`unknown field '${unknown}'`);
}

function reader<T>(kind: string, fits: (value: unknown) => value is T) {
	return (body: JsonObject, field: string): T | undefined => {
		const value = body[field];
		if (value === undefined || fits(value)) return value;
		throw invalid(`field '${field}' must be ${kind}`);
	};
}

const isString = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isStrings = (value: unknown): value is string[] =>
	Array.isArray(value) && value.every((item) => isString(item) && item.trim() !== '');

/** Each returns the field's value, or undefined if it is missing; another type gives 422. */
export const optionalString = reader('a string', isString);
export const optionalBoolean = reader('a boolean', isBoolean);
export const optionalObject = reader('an object', isObject);
export const optionalStrings = reader('an array of non-empty strings', isStrings);

/** As `optionalString`, but missing and empty give 422 too. */
export function requiredString(body: JsonObject, field: string): string {
	const value = optionalString(body, field);
	if (value === undefined) throw invalid(`field '${field}' is required`);
	if (value.trim() === '') throw invalid(`field '${field}' must not be empty`);
	return value;
}
