import type { Field } from './fieldKinds';

/**
 * A field in one call: its label, the name under which workflows save it, and what is special about it. What is the
 * same in all fields of a kind stands here. n8n's linter does not see into these calls, so `contract.test` checks
 * their texts.
 */
type More = Partial<Omit<Field, 'displayName' | 'name' | 'type' | 'default'>>;

/** Fields of one type that all begin with the same value. */
function kind<const T extends string, const D>(type: T, initial: D) {
	return <const N extends string, const M extends More>(
		displayName: string,
		name: N,
		more: M = {} as M,
	) => ({ displayName, name, type, default: initial, ...more }) as const;
}

/** A line of text. */
export const text = kind('string', '');

/** A JSON object. */
export const json = kind('json', '{}');

/** A date with a time. */
export const dateTime = kind('dateTime', '');

/** A switch that is off at first. */
export const off = kind('boolean', false);

/** A switch that is on at first, such as an option that does something once it is added. */
export const on = kind('boolean', true);

/** Names, separated by commas or as an array. */
export function names<const N extends string, const M extends More>(
	displayName: string,
	name: N,
	more: M = {} as M,
) {
	return { ...text(displayName, name, more), accepts: 'names' } as const;
}

/** A whole number: 1 or more, unless `typeOptions` says otherwise. */
export function count<const N extends string, const M extends More>(
	displayName: string,
	name: N,
	initial: number,
	more: M,
) {
	const typeOptions = { minValue: 1 };
	return { displayName, name, type: 'number', default: initial, typeOptions, ...more } as const;
}

/** One of several values. */
export function choice<
	const N extends string,
	const M extends More & { readonly options: readonly Choice[] },
>(displayName: string, name: N, initial: M['options'][number]['value'], more: M) {
	return { displayName, name, type: 'options', default: initial, ...more } as const;
}

interface Choice {
	readonly name: string;
	readonly value: string;
	readonly description?: string;
}

/** Fields that the user adds one by one. */
export function collection<
	const N extends string,
	const M extends More & { readonly options: readonly Field[] },
>(displayName: string, name: N, more: M) {
	return { displayName, name, type: 'collection', default: {}, ...more } as const;
}
