import type { INodeParameters, INodeProperties } from 'n8n-workflow';

import { fieldsOf, plausible } from '../faults/hostileParameters';

/**
 * Parameters with which an operation of the registry works, made of what its fields are. A field
 * whose name is not known has some text, or its default.
 */
export function plainParameters(resource: string, operation: string): INodeParameters {
	return { resource, operation, ...valuesOf(fieldsOf(resource, operation)) } as INodeParameters;
}

const valuesOf = (fields: INodeProperties[]) =>
	Object.fromEntries(fields.map((field) => [field.name, valueOf(field)]));

function valueOf({ name, type, default: preset, options }: INodeProperties): unknown {
	const [value] = plausible[name] ?? [type === 'string' ? 'text' : preset];
	if (name === 'returnAll') return true;
	if (type === 'resourceLocator') return { __rl: true, mode: 'id', value };
	if (type === 'fixedCollection') return {};
	if (type === 'resourceMapper') {
		const mapped = name === 'columns' ? { phone: '+12125000003', name: 'New' } : null;
		return { mappingMode: 'defineBelow', value: mapped, schema: [] };
	}
	// Of optional fields only texts, because others may change what is done.
	const texts = ((options ?? []) as INodeProperties[]).filter((each) => each.type === 'string');
	return type === 'collection' ? valuesOf(texts) : value;
}
