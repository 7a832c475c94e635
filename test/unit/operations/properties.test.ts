import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { Resource } from '../../../nodes/WorkspaceCrm/operations/define';
import type { Field } from '../../../nodes/WorkspaceCrm/operations/fieldKinds';
import { nodeProperties } from '../../../nodes/WorkspaceCrm/operations/properties';
import { resources } from '../../../nodes/WorkspaceCrm/resources';

/** Each operation of each resource, by the names that workflows save. */
const operations = resources.flatMap((resource) =>
	resource.operations.map((operation): [string, string, readonly Field[]] => [
		resource.value,
		operation.value,
		operation.fields,
	]),
);

function shownFor(resource: string, operation: string): INodeProperties[] {
	return nodeProperties(resources).filter(({ displayOptions }) => {
		const { show } = displayOptions ?? {};
		return show?.resource?.[0] === resource && show.operation?.[0] === operation;
	});
}

describe.each(operations)('the fields of %s: %s', (resource, operation, fields) => {
	it('are shown all, in order, for it alone, each under a name of its own', () => {
		const names = fields.map(({ name }) => name);
		expect(new Set([...names, 'resource', 'operation']).size).toBe(names.length + 2);
		const shown = shownFor(resource, operation);
		expect(shown.map(({ name }) => name)).toEqual(names);
		shown.forEach(({ displayOptions }, index) => {
			expect(displayOptions).toEqual({
				show: { resource: [resource], operation: [operation], ...fields[index].showWhen },
			});
		});
	});

	it('depend on fields that are there, and values these can have', () => {
		const conditions = fields.flatMap(({ showWhen = {} }) => Object.entries(showWhen));
		for (const [name, values] of conditions) {
			// n8n 2.20 and older refuses a path without the slash, and with it the workflow.
			expect(name.startsWith('/')).toBe(name.includes('.'));
			const [fieldName, part] = name.replace('/', '').split('.');
			const field = fields.find((each) => each.name === fieldName);
			const modes = part === 'mode' ? field?.modes?.map((mode) => mode.name) : undefined;
			const choices = field?.options as INodePropertyOptions[] | undefined;
			const possible =
				field?.type === 'boolean' ? [true, false] : (modes ?? choices?.map(({ value }) => value));
			expect(possible).toEqual(expect.arrayContaining([...values]));
		}
	});
});

test('nothing else is shown but Resource and Operation', () => {
	const count = operations.reduce((sum, [, , fields]) => sum + fields.length, 0);
	expect(nodeProperties(resources)).toHaveLength(1 + resources.length + count);
});

test('a field can belong to several operations, and n8n gets nothing of it that is only ours', () => {
	const common = { type: 'string', default: '' } as const;
	const names: Field = { displayName: 'Names', name: 'names', ...common, accepts: 'names' };
	const options: Field = {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		default: {},
		options: [{ displayName: 'Raw', name: 'raw', ...common, accepts: 'any' }],
		showWhen: { names: ['a'] },
	};
	const operation = {
		...{ value: 'do', name: 'Do', action: 'Do thing', description: 'Does it' },
		...{ effect: 'read' as const, fields: [names, options], execute: async () => ({}) },
	};
	const registry: Resource[] = [
		{ value: 'one', name: 'One', operations: [operation] },
		{ value: 'two', name: 'Two', operations: [{ ...operation, fields: [names] }] },
	];
	const before = JSON.stringify(registry);
	const shownIn = (resource: string, more = {}) => ({
		displayOptions: { show: { resource: [resource], operation: ['do'], ...more } },
	});
	const shownNames = { displayName: 'Names', name: 'names', ...common };
	expect(nodeProperties(registry).slice(3)).toEqual([
		{ ...shownNames, ...shownIn('one') },
		{
			...{ displayName: 'Options', name: 'options', type: 'collection', default: {} },
			options: [{ displayName: 'Raw', name: 'raw', ...common }],
			...shownIn('one', { names: ['a'] }),
		},
		{ ...shownNames, ...shownIn('two') },
	]);
	expect(JSON.stringify(registry)).toBe(before);
});
