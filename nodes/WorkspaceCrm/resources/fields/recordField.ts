import type { INodePropertyMode } from 'n8n-workflow';

import type { listSearch } from '../../editor/dropDowns';
import type { Field } from '../../operations/fieldKinds';

/** A way to identify a record by typing. */
export function textMode(
	name: string,
	displayName: string,
	texts: Pick<INodePropertyMode, 'hint' | 'placeholder'> = {},
): INodePropertyMode {
	const type = 'string';
	return { ...texts, name, displayName, type };
}

/** A field for a record: from a searchable list, or in one of the other modes. */
export function recordField<const N extends string>(
	displayName: string,
	name: N,
	list: { placeholder: string; searchListMethod: keyof typeof listSearch },
	...otherModes: readonly INodePropertyMode[]
) {
	const { placeholder, searchListMethod } = list;
	const typeOptions = { searchListMethod, searchable: true };
	return {
		displayName,
		name,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		modes: [
			{ displayName: 'From List', name: 'list', type: 'list', placeholder, typeOptions },
			...otherModes,
		],
	} as const satisfies Field;
}

export const automationField = recordField(
	'Automation',
	'automationId',
	{ placeholder: 'Select an automation...', searchListMethod: 'searchAutomations' },
	textMode('id', 'By ID'),
);

export const segmentField = recordField(
	'Segment',
	'segmentId',
	{ placeholder: 'Select a segment...', searchListMethod: 'searchSegments' },
	textMode('id', 'By ID'),
);

export const subscriptionField = recordField(
	'Subscription',
	'subscriptionId',
	{ placeholder: 'Select a subscription...', searchListMethod: 'searchSubscriptions' },
	textMode('id', 'By ID'),
);

export const tagFilterField = recordField(
	'Tag',
	'tag',
	{ placeholder: 'Select a tag...', searchListMethod: 'searchTags' },
	textMode('name', 'By Name', { placeholder: 'e.g. vip' }),
);

export const templateField = recordField(
	'Template',
	'template',
	{ placeholder: 'Select a template...', searchListMethod: 'searchTemplates' },
	textMode('id', 'By ID'),
	textMode('name', 'By Name', { placeholder: 'e.g. order_update' }),
);
