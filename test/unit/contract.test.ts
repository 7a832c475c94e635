import {
	NodeHelpers,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyOptions,
	type INodeType,
} from 'n8n-workflow';

import { WorkspaceCrmApi } from '../../credentials/WorkspaceCrmApi.credentials';
import type { Field } from '../../nodes/WorkspaceCrm/operations/fieldKinds';
import { resources } from '../../nodes/WorkspaceCrm/resources';
import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import { WorkspaceCrmTrigger } from '../../nodes/WorkspaceCrm/WorkspaceCrmTrigger.node';
import { fs, process } from '../../tools/support/platform';
import { crmNode } from '../../tools/engine/nodes';
import { nodes } from '../support/nodes';
import { subtitleOf } from '../support/subtitle';
import { operationsTable } from '../workflow/operationPages';

/** What the linter cannot see, because the editor's fields are computed. */
const crm = new WorkspaceCrm();
const events = new WorkspaceCrmTrigger();
const triggers = nodes.filter(({ description }) => description.group.includes('trigger'));

const { properties } = crm.description;
const [resourceProperty, ...rest] = properties;
const operationProperties = rest.filter(({ name }) => name === 'operation');
const fields = rest.filter(({ name }) => name !== 'operation');

const optionsOf = (property: INodeProperties) => property.options as INodePropertyOptions[];

type Path = readonly [path: string, field: INodeProperties];

/** Fields with all that is nested in them, each with the path at which its value is saved. */
function withNested(all: readonly INodeProperties[], prefix = ''): Path[] {
	return all.flatMap((field): Path[] => {
		const path = `${prefix}${field.name}`;
		if (field.type === 'collection') {
			const options = field.options as INodeProperties[];
			return [[path, field], ...withNested(options, `${path}.`)];
		}
		if (field.type === 'fixedCollection') {
			const groups = field.options as Array<{ name: string; values: INodeProperties[] }>;
			const nested = groups.flatMap(({ name, values }) => withNested(values, `${path}.${name}.`));
			return [[path, field], ...nested];
		}
		return [[path, field]];
	});
}

const isSorted = (names: string[]) =>
	expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b, 'en')));
const isUnique = (values: unknown[]) => expect(new Set(values).size).toBe(values.length);

/** One sentence has no full stop, several have. */
function expectStops(description = '') {
	const sentences = description.replaceAll('e.g. ', '').split(/[.!?] (?=[A-Z'0-9]|n8n)/).length;
	expect([description, description.endsWith('.')]).toEqual([description, sentences > 1]);
}

const operations = resources.flatMap(({ value: resource, operations: own }) =>
	own.map(({ value: operation, fields: declared }) => ({ resource, operation, declared })),
);

const fieldsOf = (resource: string, operation: string) =>
	fields.filter(({ displayOptions: { show = {} } = {} }) => {
		return show.resource?.[0] === resource && show.operation?.[0] === operation;
	});

/** What happens if a field's expression evaluates to nothing, by the field's path. */
function endsOf(declared: readonly Field[], prefix = ''): Array<[path: string, end: string]> {
	return declared.flatMap((field): Array<[string, string]> => {
		const { name, mayBeNothing = false, across } = field;
		const end = mayBeNothing ? 'left out' : 'fails';
		if (field.type !== 'collection') {
			return [[prefix + name, across === 'first' ? `${end} per run` : end]];
		}
		const options = field.options as readonly Field[];
		return endsOf(
			options.map((option) => ({ mayBeNothing, across, ...option })),
			`${prefix}${name}.`,
		);
	});
}

/**
 * What saved workflows rely on. n8n saves neither default values nor hidden ones, so defaults and display rules
 * are part of it.
 */
function contractOf(saved: readonly INodeProperties[], declared: readonly Field[] = []): string[] {
	const ends = new Map(endsOf(declared));
	return withNested(saved).map(([path, field]) => {
		const conditions = Object.entries(field.displayOptions?.show ?? {})
			.filter(([name]) => declared.length === 0 || !['resource', 'operation'].includes(name))
			.map(([name, values]) => `${name}=${values?.join('|')}`);
		const choices = choicesOf(field);
		return [
			path,
			conditions.length > 0 && `if ${conditions.join(', ')}`,
			`= ${JSON.stringify(field.default)}`,
			choices.length > 0 && `of ${choices.join(' | ')}`,
			ends.has(path) && `(if empty: ${ends.get(path)})`,
		]
			.filter(Boolean)
			.join(' ');
	});
}

function choicesOf(field: INodeProperties): string[] {
	if (field.type === 'resourceLocator') return (field.modes ?? []).map(({ name }) => name);
	if (field.type !== 'options' && field.type !== 'multiOptions') return [];
	return (optionsOf(field) ?? []).map(({ value }) => String(value));
}

test('the saved interface stays: names, defaults and values of options', () => {
	const credential = new WorkspaceCrmApi();
	const nameOf = ({ description }: INodeType) =>
		`${description.name} ${String(description.version)}`;
	expect({
		[credential.name]: contractOf(credential.properties),
		[nameOf(crm)]: contractOf([resourceProperty, ...operationProperties]),
		...Object.fromEntries(
			triggers.map((node) => [nameOf(node), contractOf(node.description.properties)]),
		),
		...Object.fromEntries(
			operations.map(({ resource, operation, declared }) => [
				`${resource} ${operation}`,
				contractOf(fieldsOf(resource, operation), declared),
			]),
		),
	}).toMatchSnapshot();
});

test.each(operations)(
	'the fields of $resource $operation depend on existing fields and values',
	({ declared }) => {
		const conditions = declared.flatMap(({ showWhen = {} }) => Object.entries(showWhen));
		for (const [name, values] of conditions) {
			// n8n 2.20 and older refuse a path without the slash, and the workflow with it.
			expect(name.startsWith('/')).toBe(name.includes('.'));
			const [fieldName, part] = name.replace('/', '').split('.');
			const field = declared.find((each) => each.name === fieldName);
			const modes = part === 'mode' ? field?.modes?.map((mode) => mode.name) : undefined;
			const choices = field?.options as INodePropertyOptions[] | undefined;
			const possible =
				field?.type === 'boolean' ? [true, false] : (modes ?? choices?.map(({ value }) => value));
			expect(possible).toEqual(expect.arrayContaining([...values]));
		}
	},
);

const sending = resources.find(({ value }) => value === 'message')?.operations ?? [];

test.each(sending.map(({ value, wait }) => [value, wait ? 6 : 5] as const))(
	'%s shows at most %i fields before its options',
	(operation, most) => {
		const node = crmNode({ resource: 'message', operation });
		const defaults =
			NodeHelpers.getNodeParameters(
				properties,
				node.parameters,
				true,
				false,
				node,
				crm.description,
			) ?? {};
		const shown = fieldsOf('message', operation).filter(
			(field) =>
				field.type !== 'collection' &&
				NodeHelpers.displayParameter(defaults, field, node, crm.description),
		);
		expect(shown.length).toBeLessThanOrEqual(most);
	},
);

test('the README has the table of operations', () => {
	const rows = operationsTable(resources);
	const widths = [0, 1].map((at) => Math.max(...rows.map((row) => row[at].length)));
	const line = ([a, b]: string[]) => `| ${a.padEnd(widths[0])} | ${b.padEnd(widths[1])} |`;
	const table = [['Resource', 'Operations'], widths.map((width) => '-'.repeat(width)), ...rows];
	const text = table.map(line).join('\n');
	const readme = fs.readFileSync('README.md', 'utf8');
	const [found = ''] = /^\| Resource +\| Operations[^]*?(?=\n\n)/m.exec(readme) ?? [];
	const updated = readme.replace(found, () => text);
	if (process.env.UPDATE_DOCS) fs.writeFileSync('README.md', updated);
	expect(fs.readFileSync('README.md', 'utf8')).toBe(updated);
});

test('the example of the recipe compiles', () => {
	const source = fs.readFileSync('test/support/recipeExample.ts', 'utf8');
	const [line = ''] = /\tgetNotes: endpoint.*\n/.exec(source) ?? [];
	const example = source
		.replace(/const endpoints = [^]*?};\n\n/, '')
		.replace('endpoint, endpoints as others', 'endpoints')
		// The recipe has shorter paths, so this import fits in one line there.
		.replace(/\{\n\t(\w+),\n\t(\w+),\n\} from/, '{ $1, $2 } from')
		.replaceAll('../../nodes/WorkspaceCrm/resources/', '../')
		.replaceAll('../../nodes/WorkspaceCrm/', '../../')
		.replace(/^(?=.)/gm, '   ');
	const recipe = fs.readFileSync('docs/architecture.md', 'utf8');
	expect(recipe).toContain(example);
	expect(recipe).toContain(`   ${line}`);
});

test('the resource is first, then one operation field per resource', () => {
	expect(resourceProperty.name).toBe('resource');
	expect(operationProperties.map(({ displayOptions }) => displayOptions?.show?.resource)).toEqual(
		optionsOf(resourceProperty).map(({ value }) => [value]),
	);
	for (const property of [resourceProperty, ...operationProperties]) {
		expect(property.noDataExpression).toBe(true);
		const values = optionsOf(property).map(({ value }) => value);
		expect(values).toContain(property.default);
		isUnique(values);
		isSorted(optionsOf(property).map(({ name }) => name));
	}
});

describe.each(operationProperties.flatMap(optionsOf))('operation "$action"', (operation) => {
	test('has an action in sentence case and a description with more than its name', () => {
		expect(operation.action?.replace('API', 'api')).toMatch(/^[A-Z][^A-Z.]+$/);
		expect(operation.description).toBeTruthy();
		expect(operation.description?.toLowerCase()).not.toBe(operation.name.toLowerCase());
		expectStops(operation.description);
	});
});

test('actions are unique, as each becomes a node name', () => {
	isUnique(operationProperties.flatMap(optionsOf).map(({ action }) => action));
});

const allFields = nodes.flatMap(({ description, methods = {} }) =>
	withNested(description.properties)
		.filter(([path]) => !['resource', 'operation'].includes(path))
		.map(([path, field]) => [`${description.name} ${path}`, field, methods] as const),
);

test.each(allFields)(
	'field %s has a default and follows the rules of its kind',
	(_, f, methods) => {
		expect(f.default).toBeDefined();
		for (const own of ['accepts', 'across', 'role', 'showWhen']) expect(f).not.toHaveProperty(own);
		// In title case, but for the small words; with units and examples in brackets.
		expect(f.displayName).toMatch(
			/^[A-Z0-9][^ ]*( (\(?[A-Z%][^ ]*|and|at|by|for|if|in|of|on|or|to|with))*$/,
		);
		expect(f.description?.toLowerCase()).not.toBe(f.displayName.toLowerCase());
		expectStops(f.description);
		if (f.placeholder && ['string', 'json'].includes(f.type)) {
			expect(f.placeholder).toMatch(/^e\.g\. /);
		}
		if (f.type === 'boolean') expect(f.description).toMatch(/^Whether /);
		if (f.type === 'options' || f.type === 'multiOptions') {
			const { loadOptionsMethod } = f.typeOptions ?? {};
			if (loadOptionsMethod) expect(methods.loadOptions).toHaveProperty(loadOptionsMethod);
			const options = optionsOf(f) ?? [];
			const values = options.map(({ value }) => value);
			if (!loadOptionsMethod) expect(values).toEqual(expect.arrayContaining([f.default].flat()));
			isUnique(values);
			isUnique(options.map(({ name }) => name));
			// The entry for no choice comes first.
			const names = options.filter(({ value }) => value !== '').map(({ name }) => name);
			if (names.join() !== 'Yes,No') isSorted(names);
		}
		if (f.type === 'collection') {
			expect(f.default).toEqual({});
			// options for what the API reference does not show come last
			const last = ['Body', 'Body Mode'];
			const labels = (f.options as INodeProperties[]).map(({ displayName }) => displayName);
			isSorted(labels.filter((label) => !last.includes(label)));
			if (labels.includes('Body')) expect(labels.slice(-2)).toEqual(last);
			expect((f.options as INodeProperties[]).some(({ required }) => required)).toBe(false);
		}
		if (f.type === 'resourceLocator') {
			// a campaign takes the contact of each item
			const defaults = { list: '', id: '={{ $json.id }}' };
			const { mode } = f.default as { mode: keyof typeof defaults };
			expect(f.default).toEqual({ mode, value: defaults[mode] });
			// a record without an ID is chosen by its name
			expect(f.modes?.[0].name).toBe('list');
			expect(['id', 'name']).toContain(f.modes?.[1].name);
			expect(methods.listSearch).toHaveProperty(String(f.modes?.[0].typeOptions?.searchListMethod));
		}
		if (f.type === 'resourceMapper') {
			expect(f.default).toEqual({ mappingMode: 'defineBelow', value: null });
			const method = f.typeOptions?.resourceMapper?.resourceMapperMethod;
			expect(methods.resourceMapping).toHaveProperty(String(method));
		}
	},
);

// n8n tests such a pattern before each run, and fails the run if that takes over 250 ms on a busy machine
// (safe-regex, 2.41).
test('no field has a pattern that n8n checks', () => {
	expect(JSON.stringify(new WorkspaceCrm().description)).not.toContain('"regex"');
});

test('every Get Many has Return All and a limit of 50', () => {
	for (const operations of operationProperties) {
		const resource = operations.displayOptions?.show?.resource?.[0];
		for (const { value } of optionsOf(operations)) {
			if (!/^get(All|Contacts)$/.test(String(value))) continue;
			const own = fieldsOf(String(resource), String(value));
			expect(own.find(({ name }) => name === 'returnAll')?.default).toBe(false);
			const limit = own.find(({ name }) => name === 'limit');
			expect(limit).toMatchObject({ default: 50, typeOptions: { minValue: 1 } });
			expect(limit?.displayOptions?.show?.returnAll).toEqual([false]);
		}
	}
});

const extended = nodes.filter(
	({ description: { polling, usableAsTool } }) => polling ?? usableAsTool,
);

test.each(extended.map((node) => [node.description.name, node]))(
	'each description of %s is a new object, as n8n adds to it',
	(_name, { constructor }) => {
		const Node = constructor as new () => INodeType;
		const [{ description: one }, { description: other }] = [new Node(), new Node()];
		expect(one.properties).not.toBe(other.properties);
		expect(one.properties).toEqual(other.properties);
	},
);

describe('triggers', () => {
	test('have no inputs and are not tools, and have a webhook or poll', () => {
		for (const { description } of triggers) {
			expect(description.inputs).toEqual([]);
			expect(description.usableAsTool).toBeUndefined();
			expect(description.webhooks === undefined).toBe(description.polling === true);
		}
		// Its URL is registered by itself; shown, it would only invite to be pasted somewhere.
		const hidden = { ndvHideUrl: true, ndvHideMethod: true };
		expect(events.description.webhooks).toEqual([expect.objectContaining(hidden)]);
		expect(Object.keys(events.webhookMethods.default)).toEqual(['checkExists', 'create', 'delete']);
	});

	test("list their events under 'Trigger On', so that n8n's node panel shows each", () => {
		const [triggerOn] = events.description.properties;
		expect([triggerOn.displayName, optionsOf(triggerOn).length]).toEqual(['Trigger On', 5]);
	});

	test('never say activate, as n8n says publish', () => {
		const descriptions = triggers.map(({ description }) => description);
		const shown = JSON.stringify(descriptions).replaceAll('"activationMessage"', '');
		expect(shown).not.toMatch(/activat/i);
	});
});

test.each<[INodeType, INodeParameters, string]>([
	[events, { events: ['contact.opted_out'] }, 'Contact Opted Out'],
	[
		events,
		{ events: ['contact.created', 'tag.added', 'message.delivered'] },
		'Contact Created, Tag Added, Message Delivered',
	],
	[events, { events: '={{ ["message.read"] }}' }, 'Message Read'],
	[events, { events: [], options: {} }, ''],
	[crm, { resource: 'contact', operation: 'upsert' }, 'Contact: Create or Update'],
	[crm, { resource: 'workspace', operation: 'checkApi' }, 'Workspace: Check API'],
	[crm, { resource: 'contact', operation: '__CUSTOM_API_CALL__' }, ''],
])('a node says on the canvas what it is set to: $1', ({ description }, parameters, expected) => {
	expect(subtitleOf(description, parameters)).toBe(expected);
});
