import fc from 'fast-check';
import type { IDataObject, INodeParameters, INodeProperties } from 'n8n-workflow';

import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import {
	hostileKeys,
	hostileObjects,
	hostileTexts,
	hostileValues,
	hugeValues,
} from './hostileValues';
import { AUTOMATION, TEMPLATE } from './world';

export interface HostileRun {
	parameters: INodeParameters;
	items: IDataObject[];
}

type Draw = fc.GeneratorValue;

const { properties } = new WorkspaceCrm().description;

/** The fields that the editor shows for an operation, as n8n knows them. */
function fieldsOf(resource: string, operation: string): INodeProperties[] {
	return properties.filter(({ name, displayOptions }) => {
		const { show } = displayOptions ?? {};
		return (
			name !== 'operation' &&
			show?.resource?.includes(resource) &&
			show.operation?.includes(operation)
		);
	});
}

/** Valid values by field name. Without them, every run would fail at its first field. */
const plausible: Record<string, unknown[]> = {
	contactId: ['3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a60', '+12124000000', '12124000001'],
	phone: ['+12124000000', '+12125000001', '0151 23456789'],
	automationId: [AUTOMATION],
	segmentId: ['seg_vip'],
	subscriptionId: ['sub_0'],
	template: [TEMPLATE],
	url: ['https://example.com/events'],
	events: [['tag.added'], 'tag.added'],
	tags: ['vip, new', ['vip']],
	knownTags: [['vip']],
	tag: ['vip'],
	search: ['Contact'],
	limit: [1, 2, '3'],
	attributesJson: ['{"plan":"pro"}', { plan: 'pro' }],
	body: ['{"x":1}', {}],
	bodyMode: ['merge', 'replace'],
	defaultCountry: ['DE', 'US'],
	optInStatus: ['confirmed'],
	tagMode: ['add', 'match'],
	missing: ['ignore', 'output'],
	otherColumns: ['ignore', 'attributes'],
	boolean: [true, false, 'true'],
	mappedPhone: ['+12124000000', '+12125000003'],
};

/** Draws parameters with values of every kind, most of them expressions, and the items that these read. */
export function drawRun(
	draw: Draw,
	resource: string,
	operation: string,
	itemCount: number,
): HostileRun {
	// From a single bad value among good ones to mostly bad ones.
	const badOfTen = [1, 1, 2, 6][draw(fc.nat, 3)];
	const slots: Array<{ name: string; isHostile: boolean }> = [];
	const leaf = (name: string): string => {
		slots.push({ name, isHostile: draw(fc.nat, 9) < badOfTen });
		return `={{ $json.v${slots.length - 1} }}`;
	};
	const parameters = Object.fromEntries(
		fieldsOf(resource, operation).map((field) => [field.name, drawField(draw, field, leaf)]),
	);
	const items = Array.from({ length: itemCount }, () => {
		const values = slots.map(({ name, isHostile }, index) => [
			`v${index}`,
			isHostile ? drawHostile(draw) : drawPlausible(draw, name),
		]);
		const more = draw(fc.nat, 3) === 0 ? draw(() => hostileObjects) : {};
		return Object.fromEntries([...Object.entries(more), ...values]) as IDataObject;
	});
	return { parameters: { resource, operation, ...parameters } as INodeParameters, items };
}

function drawHostile(draw: Draw): unknown {
	return draw(fc.nat, 199) === 0 ? draw(() => hugeValues) : draw(() => hostileValues);
}

function drawPlausible(draw: Draw, name: string): unknown {
	const known = Object.hasOwn(plausible, name) ? plausible[name] : ['text', 'vip'];
	return known[draw(fc.nat, known.length - 1)];
}

function drawField(draw: Draw, field: INodeProperties, leaf: (name: string) => string): unknown {
	const { name, type } = field;
	// Now and then, one expression or a fixed value replaces the whole field.
	if (draw(fc.nat, 11) === 0) return leaf(name);
	if (draw(fc.nat, 19) === 0) return fixed(draw(() => hostileValues));
	switch (type) {
		case 'resourceLocator': {
			const modes = [...(field.modes ?? []).map((mode) => mode.name), 'id', '__proto__'];
			const mode = modes[draw(fc.nat, modes.length - 1)];
			return { __rl: true, mode, value: leaf(name) };
		}
		case 'collection':
			return Object.fromEntries(
				(field.options as INodeProperties[])
					.filter(() => draw(fc.nat, 2) === 0)
					.map((option) => [option.name, drawField(draw, option, leaf)]),
			);
		case 'fixedCollection': {
			const row = () => ({ name: leaf('attribute'), value: leaf('text') });
			return { values: Array.from({ length: draw(fc.nat, 3) }, row) };
		}
		case 'resourceMapper': {
			const isAutomatic = draw(fc.boolean);
			const columns = draw(fc.array, fc.oneof(columnNames, hostileKeys), { maxLength: 4 });
			const mapped = columns.map((column: string) => [column, leaf(column)]);
			return {
				mappingMode: isAutomatic ? 'autoMapInputData' : 'defineBelow',
				value: Object.fromEntries([['phone', leaf('mappedPhone')], ...mapped]) as object,
				schema: columns.map((id: string) => ({ id, displayName: id, type: 'string' })),
			};
		}
		default:
			return leaf(type === 'boolean' ? type : name);
	}
}

const columnNames = fc.oneof(
	fc.constantFrom('name', 'locale', 'source', 'tags', 'opt_in', 'consent_proof', 'attributes.plan'),
	hostileTexts.map((text) => `attributes.${text}`),
);

/** A value as a saved workflow can hold it: JSON, and no expression. */
function fixed(value: unknown): unknown {
	const text = JSON.stringify(value) as string | undefined;
	const saved = text === undefined ? null : (JSON.parse(text) as unknown);
	return typeof saved === 'string' && saved.startsWith('=') ? ` ${saved}` : saved;
}
