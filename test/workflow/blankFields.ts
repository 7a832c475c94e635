import {
	NodeHelpers,
	type INodeParameters,
	type INodeProperties,
	type INodeType,
} from 'n8n-workflow';

import { crmNode } from '../../tools/engine/nodes';

/** What the editor saves for a field that is left blank; undefined if it cannot be. */
function blankOf({ type, modes }: INodeProperties): unknown {
	if (type === 'multiOptions') return [];
	if (type === 'resourceLocator') return { __rl: true, mode: modes?.[0].name, value: '' };
	return ['string', 'dateTime', 'json'].includes(type) ? '' : undefined;
}

/** The fields that the editor shows with these parameters, each with the parameters where it is blank. */
export function blankable({ description }: INodeType, parameters: INodeParameters) {
	const { properties } = description;
	const node = { ...crmNode(parameters), typeVersion: [description.version].flat()[0] };
	const all = NodeHelpers.getNodeParameters(properties, parameters, true, false, node, description);
	return properties
		.filter((field) => blankOf(field) !== undefined)
		.filter((field) => NodeHelpers.displayParameter(all ?? {}, field, node, description))
		.map((field) => ({
			...{ name: field.name, isRequired: field.required === true },
			parameters: { ...parameters, [field.name]: blankOf(field) } as INodeParameters,
		}));
}
