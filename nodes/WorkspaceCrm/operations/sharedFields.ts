import type { Field } from './fieldKinds';

/** The head of every 'Options' collection; each adds its own options. */
export const optionsCollection = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
} as const;

export const simplifyField = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
} as const satisfies Field;
