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

/** All objects and arrays below a value, itself included. */
function objectsIn(value: unknown): object[] {
	if (typeof value !== 'object' || value === null) return [];
	return [value, ...Object.values(value).flatMap(objectsIn)];
}

describe('the fields of an operation', () => {
	it.each(operations)(
		'%s: %s are shown all, in order, for it alone',
		(resource, operation, fields) => {
			const shown = shownFor(resource, operation);
			expect(shown.map(({ name }) => name)).toEqual(fields.map(({ name }) => name));
			shown.forEach(({ displayOptions }, index) => {
				expect(displayOptions).toEqual({
					show: { resource: [resource], operation: [operation], ...fields[index].showWhen },
				});
			});
		},
	);

	it.each(operations)('%s: %s each have a name of their own', (_, __, fields) => {
		const names = fields.map(({ name }) => name);
		expect(new Set(names).size).toBe(names.length);
		expect(names).not.toContain('resource');
		expect(names).not.toContain('operation');
	});

	it.each(operations)(
		'%s: %s depend on fields that are there, and values these can have',
		(...row) => {
			const [, , fields] = row;
			for (const { showWhen = {} } of fields) {
				for (const [name, values] of Object.entries(showWhen)) {
					// n8n 2.20 and older refuses a path without the slash, and with it the workflow.
					expect(name.startsWith('/')).toBe(name.includes('.'));
					const [fieldName, part] = name.replace('/', '').split('.');
					const field = fields.find((each) => each.name === fieldName);
					const modes = part === 'mode' ? field?.modes?.map((mode) => mode.name) : undefined;
					const choices = field?.options as INodePropertyOptions[] | undefined;
					const possible =
						field?.type === 'boolean'
							? [true, false]
							: (modes ?? choices?.map(({ value }) => value));
					expect(possible).toEqual(expect.arrayContaining([...values]));
				}
			}
		},
	);

	it('are all that is shown next to Resource and Operation', () => {
		const count = operations.reduce((sum, [, , fields]) => sum + fields.length, 0);
		expect(nodeProperties(resources)).toHaveLength(1 + resources.length + count);
	});
});

describe('what the editor gets', () => {
	it('has nothing in it that n8n does not know', () => {
		const keys = new Set(objectsIn(nodeProperties(resources)).flatMap((each) => Object.keys(each)));
		for (const ours of [
			'accepts',
			'role',
			'perRun',
			'showWhen',
			'execute',
			'fields',
			'operations',
		]) {
			expect(keys).not.toContain(ours);
		}
		expect(keys).toContain('displayOptions');
	});

	it('is new each time, because n8n adds to it', () => {
		const first = nodeProperties(resources);
		const before = JSON.stringify(first);
		for (const property of first) {
			property.displayName = 'changed';
			property.displayOptions = { hide: {} };
		}
		first.push(...first.splice(0, 3));
		expect(JSON.stringify(nodeProperties(resources))).toBe(before);
	});

	it('offers each resource with its operations, and begins with Get Many, or with Get', () => {
		const [resource, ...others] = nodeProperties(resources);
		expect(resource.options).toEqual(resources.map(({ name, value }) => ({ name, value })));
		expect(resources.map(({ value }) => value)).toContain(resource.default);

		resources.forEach(({ value, operations: offered }, index) => {
			const values = offered.map((each) => each.value);
			expect(others[index]).toMatchObject({
				name: 'operation',
				displayOptions: { show: { resource: [value] } },
				options: offered.map((each) => ({
					name: each.name,
					value: each.value,
					action: each.action,
					description: each.description,
					...(each.forAgents === false && { displayOptions: { hide: { '@tool': [true] } } }),
				})),
				default:
					['getAll', 'get', 'sendTemplate'].find((name) => values.includes(name)) ?? values[0],
			});
		});
	});
});

describe('a field', () => {
	const execute = async () => ({});
	const texts = { name: 'Do', action: 'Do thing', description: 'Does it' };
	const common = { type: 'string', default: '' } as const;
	const fields: Field[] = [
		{ displayName: 'Names', name: 'names', ...common, accepts: 'names' },
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			default: {},
			options: [{ displayName: 'Raw', name: 'raw', ...common, accepts: 'any' }],
			showWhen: { names: ['a'] },
		},
	];
	const operation = { ...texts, value: 'do', effect: 'read' as const, fields, execute };
	const registry: Resource[] = [
		{ value: 'one', name: 'One', operations: [operation] },
		{ value: 'two', name: 'Two', operations: [{ ...operation, fields: [fields[0]] }] },
	];

	it('can belong to several operations, and keeps its own description as it is', () => {
		const before = JSON.stringify(fields);
		expect(nodeProperties(registry).slice(3)).toEqual([
			{
				displayName: 'Names',
				name: 'names',
				...common,
				displayOptions: { show: { resource: ['one'], operation: ['do'] } },
			},
			{
				displayName: 'Options',
				name: 'options',
				type: 'collection',
				default: {},
				options: [{ displayName: 'Raw', name: 'raw', ...common }],
				displayOptions: { show: { resource: ['one'], operation: ['do'], names: ['a'] } },
			},
			{
				displayName: 'Names',
				name: 'names',
				...common,
				displayOptions: { show: { resource: ['two'], operation: ['do'] } },
			},
		]);
		expect(JSON.stringify(fields)).toBe(before);
	});
});
