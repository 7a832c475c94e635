import type { INodeProperties, INodePropertyOptions, NodeHint } from 'n8n-workflow';

import type { AnyOperation, Resource, Wait } from './define';
import type { Field } from './fieldKinds';

/**
 * Builds the node's properties from the registry: Resource, Operation, then the fields of each
 * operation. A new array each time, because n8n adds to it.
 */
export function nodeProperties(resources: readonly Resource[]): INodeProperties[] {
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'options',
			noDataExpression: true,
			options: resources.map(({ name, value }) => ({ name, value })),
			default: 'contact',
		},
		...resources.map(operationProperty),
		...resources.flatMap((resource) =>
			resource.operations.flatMap((operation) => fieldProperties(resource, operation)),
		),
	];
}

function operationProperty({ value, operations }: Resource): INodeProperties {
	// n8n does not save defaults, so this choice must never change for a released resource.
	const first = ['getAll', 'get', 'sendTemplate'].find((name) =>
		operations.some(({ value }) => value === name),
	);
	const stays = first ?? operations[0]?.value ?? '';
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [value] } },
		options: operations.map(
			({ name, value, action, description, forAgents = true }): INodePropertyOptions => ({
				name,
				value,
				action,
				description,
				...(!forAgents && { displayOptions: { hide: { '@tool': [true] } } }),
			}),
		),
		default: stays,
	};
}

function fieldProperties(resource: Resource, operation: AnyOperation): INodeProperties[] {
	return operation.fields.map(
		(field) =>
			({
				...toProperty(field),
				displayOptions: {
					show: { resource: [resource.value], operation: [operation.value], ...field.showWhen },
					...hideUntilChosen(field),
				},
			}) as INodeProperties,
	);
}

/**
 * A field that depends on another is shown once that has a value. Then n8n's editor loads its choices as they
 * appear. If the other one changes, the editor loads them again only if it can resolve all expressions of the
 * node, so without input never (seen in n8n 2.41).
 */
function hideUntilChosen({ typeOptions }: Field) {
	const names = typeOptions?.loadOptionsDependsOn ?? [];
	// An absolute path: see `contactFields`.
	const hide = Object.fromEntries(names.map((name) => [`/${name}`, ['']]));
	return names.length > 0 && { hide };
}

const OURS = ['accepts', 'across', 'mayBeNothing'];

/** Converts a field to n8n's property, without the keys that only we use. */
export function toProperty({ showWhen, ...field }: Field): Partial<Field> {
	const options = field.type === 'collection' && (field.options as readonly Field[]);
	return {
		...Object.fromEntries(Object.entries(field).filter(([name]) => !OURS.includes(name))),
		...(showWhen && { displayOptions: { show: showWhen } }),
		// n8n would require such an option even if it is not added.
		...(options && {
			options: options.map((option) => toProperty({ ...option, required: false })),
		}),
	};
}

/** An expression for the names of the resource and the operation that are chosen: `Contact: Get Many`. */
export function nodeSubtitle(resources: readonly Resource[]): string {
	const names = resources.flatMap(({ value, name, operations }) =>
		operations.map((operation) => [`${value} ${operation.value}`, `${name}: ${operation.name}`]),
	);
	const chosen = '$parameter["resource"] + " " + $parameter["operation"]';
	return `={{ (${JSON.stringify(Object.fromEntries(names))})[${chosen}] ?? "" }}`;
}

/** The hints of all operations, shown while their operation is chosen. */
export function nodeHints(resources: readonly Resource[]): NodeHint[] {
	return resources.flatMap((resource) =>
		resource.operations.flatMap(({ value: operation, hints = [] }) =>
			hints.map(({ message, always, when = 'true' }): NodeHint => {
				const isChosen = `$parameter["resource"] === "${resource.value}" && $parameter["operation"] === "${operation}"`;
				return {
					message,
					type: 'info',
					location: 'outputPane',
					whenToDisplay: always ? 'always' : 'beforeExecution',
					displayCondition: `={{ ${isChosen} && (${when}) }}`,
				};
			}),
		),
	);
}

const operationsOf = (resources: readonly Resource[]) =>
	resources.flatMap(({ operations }) => operations);

/** What the operations add to the text that models read when they search for nodes. */
export function searchHints(resources: readonly Resource[]): string {
	return operationsOf(resources)
		.flatMap(({ searchHint }) => searchHint ?? [])
		.join(' ');
}

/** The wait of the operation that has one. */
export function waitOf(resources: readonly Resource[]): Wait | undefined {
	return operationsOf(resources).find(({ wait }) => wait)?.wait;
}
