/** The head of every 'Options' collection; each adds its own options. */
export const optionsCollection = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
} as const;
