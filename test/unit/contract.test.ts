import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import type { Field } from '../../nodes/WorkspaceCrm/operations/fieldKinds';
import { resources } from '../../nodes/WorkspaceCrm/resources';
import { fs, process } from '../support/platform';

/** What the linter cannot see, because the editor's fields are computed from the registry. */
const { description, methods } = new WorkspaceCrm();
const properties = description.properties;
const [resourceProperty, ...rest] = properties;
const operationProperties = rest.filter(({ name }) => name === 'operation');
const fields = rest.filter(({ name }) => name !== 'operation');

const optionsOf = (property: INodeProperties) => property.options as INodePropertyOptions[];
const shownFor = ({ displayOptions }: INodeProperties) => ({
	resource: String(displayOptions?.show?.resource?.[0]),
	operation: String(displayOptions?.show?.operation?.[0]),
});

/** A field with all that is nested in it. */
function withNested(field: INodeProperties): INodeProperties[] {
	if (field.type === 'collection') {
		return [field, ...(field.options as INodeProperties[]).flatMap(withNested)];
	}
	if (field.type === 'fixedCollection') {
		const groups = field.options as Array<{ values: INodeProperties[] }>;
		return [field, ...groups.flatMap(({ values }) => values.flatMap(withNested))];
	}
	return [field];
}
const allFields = fields.flatMap(withNested);

const isSorted = (names: string[]) =>
	expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b, 'en')));
const isUnique = (values: unknown[]) => expect(new Set(values).size).toBe(values.length);

type Role = NonNullable<Field['role']> | `${NonNullable<Field['role']>} per run`;

/**
 * What becomes of each field whose expression gives nothing: an error for what guards or filters what
 * is done, nothing at all for what adds something.
 */
function rolesOf(fields: readonly Field[], prefix = ''): Array<[string, Role]> {
	return fields.flatMap((field): Array<[string, Role]> => {
		const { name, type, role = 'guards', perRun } = field;
		if (type !== 'collection') return [[prefix + name, perRun ? `${role} per run` : role]];
		const options = field.options as readonly Field[];
		return rolesOf(
			options.map((option) => ({ role, perRun, ...option })),
			`${prefix}${name}.`,
		);
	});
}

test('the saved interface stays: resources, operations and parameters only grow', () => {
	const saved = resources.flatMap((resource) =>
		resource.operations.map(
			({ value, fields: own }) => [`${resource.value} ${value}`, rolesOf(own)] as const,
		),
	);
	// What n8n gets has the same names, in the same order.
	const built = operationProperties.flatMap((operations) =>
		optionsOf(operations).map(({ value: operation }) => {
			const resource = operations.displayOptions?.show?.resource?.[0];
			const parameters = fields
				.filter((field) => {
					const shown = shownFor(field);
					return shown.resource === resource && shown.operation === operation;
				})
				.flatMap((field) =>
					field.type === 'collection'
						? (field.options as INodeProperties[]).map(({ name }) => `${field.name}.${name}`)
						: [field.name],
				);
			return [`${String(resource)} ${String(operation)}`, parameters];
		}),
	);
	expect(saved.map(([name, roles]) => [name, roles.map(([parameter]) => parameter)])).toEqual(
		built,
	);
	const lines = saved.map(([name, roles]) => [name, roles.map((role) => role.join(': '))]);
	expect(Object.fromEntries(lines)).toMatchSnapshot();
});

test('the README has the table of operations', () => {
	const rows = resources.map(({ name, operations }) => [
		name,
		operations.map((operation) => operation.name).join(', '),
	]);
	const widths = [0, 1].map((at) => Math.max(...rows.map((row) => row[at].length)));
	const line = ([a, b]: string[]) => `| ${a.padEnd(widths[0])} | ${b.padEnd(widths[1])} |`;
	const table = [['Resource', 'Operations'], widths.map((width) => '-'.repeat(width)), ...rows];
	const text = table.map(line).join('\n');
	const readme = fs.readFileSync('README.md', 'utf8');
	const [found = ''] = /^\| Resource +\| Operations[^]*?(?=\n\n)/m.exec(readme) ?? [];
	if (process.env.UPDATE_DOCS)
		fs.writeFileSync(
			'README.md',
			readme.replace(found, () => text),
		);
	expect(found).toBe(text);
});

test('the example of the recipe compiles', () => {
	const example = fs
		.readFileSync('test/support/recipeExample.ts', 'utf8')
		.replaceAll('../../nodes/WorkspaceCrm/resources/', '../')
		.replaceAll('../../nodes/WorkspaceCrm/', '../../')
		.replace(/^(?=.)/gm, '   ');
	expect(fs.readFileSync('CONTRIBUTING.md', 'utf8')).toContain(example);
});

test('the operation that a resource begins with stays, because n8n does not save it', () => {
	const defaults = operationProperties.map((property) => [
		property.displayOptions?.show?.resource?.[0],
		property.default,
	]);
	expect(Object.fromEntries(defaults)).toEqual({
		automation: 'getAll',
		contact: 'getAll',
		eventType: 'getAll',
		message: 'sendTemplate',
		segment: 'getAll',
		subscription: 'getAll',
		tag: 'getAll',
		template: 'getAll',
		workspace: 'get',
	});
});

test('resource comes first, then one operation field for each resource', () => {
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
	test('has an action in sentence case and a description that says more than its name', () => {
		expect(operation.action?.replace('API', 'api')).toMatch(/^[A-Z][^A-Z.]+$/);
		expect(operation.description).toBeTruthy();
		expect(operation.description?.toLowerCase()).not.toBe(operation.name.toLowerCase());
		// One sentence has no full stop, several have.
		const sentences = String(operation.description).split('. ').length;
		expect(String(operation.description).endsWith('.')).toBe(sentences > 1);
	});
});

test('actions are unique, because each becomes the name of a node', () => {
	isUnique(operationProperties.flatMap(optionsOf).map(({ action }) => action));
});

describe.each(allFields.map((field) => [field.displayName, field] as const))('field %s', (_, f) => {
	test('has a default and follows the rules for its kind', () => {
		expect(f.default).toBeDefined();
		expect(f).not.toHaveProperty('accepts');
		expect(f).not.toHaveProperty('showWhen');
		expect(f).not.toHaveProperty('role');
		expect(f).not.toHaveProperty('perRun');
		expect(f.description?.toLowerCase()).not.toBe(f.displayName.toLowerCase());
		if (f.placeholder && ['string', 'json'].includes(f.type)) {
			expect(f.placeholder).toMatch(/^e\.g\. /);
		}
		if (f.type === 'boolean') expect(f.description).toMatch(/^Whether /);
		if (f.type === 'options') {
			const options = optionsOf(f);
			expect(options.map(({ value }) => value)).toContain(f.default);
			isUnique(options.map(({ value }) => value));
			isUnique(options.map(({ name }) => name));
			// What stands for no choice comes first.
			isSorted(options.filter(({ value }) => value !== '').map(({ name }) => name));
		}
		if (f.type === 'collection') {
			isSorted((f.options as INodeProperties[]).map(({ displayName }) => displayName));
			expect((f.options as INodeProperties[]).some(({ required }) => required)).toBe(false);
		}
		if (f.type === 'resourceLocator') {
			expect(f.default).toEqual({ mode: 'list', value: '' });
			// what has no ID but its name is chosen by that
			expect(f.modes?.[0].name).toBe('list');
			expect(['id', 'name']).toContain(f.modes?.[1].name);
			const method = f.modes?.[0].typeOptions?.searchListMethod;
			expect(Object.keys(methods.listSearch)).toContain(method);
		}
		if (f.type === 'resourceMapper') {
			expect(f.default).toEqual({ mappingMode: 'defineBelow', value: null });
			const method = f.typeOptions?.resourceMapper?.resourceMapperMethod;
			expect(Object.keys(methods.resourceMapping)).toContain(method);
		}
	});
});

test('every Get Many has Return All and a limit of 50', () => {
	for (const operations of operationProperties) {
		const resource = operations.displayOptions?.show?.resource?.[0];
		for (const { value } of optionsOf(operations)) {
			if (!/^get(All|Contacts)$/.test(String(value))) continue;
			const own = fields.filter((field) => {
				const shown = shownFor(field);
				return shown.resource === resource && shown.operation === value;
			});
			expect(own.find(({ name }) => name === 'returnAll')?.default).toBe(false);
			const limit = own.find(({ name }) => name === 'limit');
			expect(limit).toMatchObject({ default: 50, typeOptions: { minValue: 1 } });
			expect(limit?.displayOptions?.show?.returnAll).toEqual([false]);
		}
	}
});

test('each description is built afresh, because n8n adds to it', () => {
	expect(new WorkspaceCrm().description.properties).not.toBe(properties);
	expect(new WorkspaceCrm().description.properties).toEqual(properties);
});

test('the subtitle names the operation and the resource as the editor does', () => {
	expect(description.subtitle).toMatch(/^=\{\{ .+ \}\}$/);
	expect(description.subtitle?.match(/\}\}/g)).toHaveLength(1);
	expect(description.subtitle).toContain('"contact upsert":"Create or Update: Contact"');
	expect(description.subtitle).toContain('"tag remove":"Remove From Contact: Tag"');
});
