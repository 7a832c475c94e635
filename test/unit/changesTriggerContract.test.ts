import {
	Workflow,
	type INode,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';

import { crmNode, nodeTypes } from '../workflow/engine';
import { WorkspaceCrmChangesTrigger } from '../../nodes/WorkspaceCrm/WorkspaceCrmChangesTrigger.node';

const { description, methods } = new WorkspaceCrmChangesTrigger();
const { properties } = description;
const valuesOf = ({ options }: INodeProperties) =>
	(options as INodePropertyOptions[]).map(({ value }) => value);

test('the saved interface stays', () => {
	expect(description.name).toBe('workspaceCrmChangesTrigger');
	expect([...new Set(properties.map(({ name }) => name))]).toEqual([
		'watch',
		'segmentId',
		'filters',
		'events',
		'fields',
		'simplify',
		'options',
	]);
	const events = properties.filter(({ name }) => name === 'events');
	expect(events.map((field) => [field.displayOptions?.show?.watch, valuesOf(field)])).toEqual([
		[['segment'], ['entered', 'erased', 'left']],
		[
			['filter'],
			['consentChanged', 'entered', 'erased', 'left', 'tagAdded', 'tagRemoved', 'updated'],
		],
		[['all'], ['consentChanged', 'entered', 'erased', 'tagAdded', 'tagRemoved', 'updated']],
	]);
});

test('it is a polling trigger, and no tool', () => {
	expect(description.polling).toBe(true);
	expect(description.inputs).toEqual([]);
	expect(description.usableAsTool).toBeUndefined();
	expect(description.webhooks).toBeUndefined();
});

test("n8n's Poll Times, which it puts into the properties, get into one node only", () => {
	properties.unshift({ displayName: 'x', name: 'x', type: 'string', default: '' });
	expect(new WorkspaceCrmChangesTrigger().description.properties[0].name).toBe('watch');
	properties.shift();
});

test('the lists that its locators ask for are there, and it shows nothing of ours', () => {
	const text = JSON.stringify(properties);
	for (const [, name] of text.matchAll(/"searchListMethod":"(\w+)"/g)) {
		expect(methods.listSearch).toHaveProperty(name);
	}
	expect(text).not.toMatch(/showWhen|"accepts"|"role"/);
});

test('on the canvas it names its events', () => {
	const node: INode = crmNode({ events: ['consentChanged', 'left'] });
	const { expression } = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: nodeTypes(),
	});
	node.parameters = { events: ['consentChanged', 'left'] };
	const { subtitle } = description;
	expect(expression.getSimpleParameterValue(node, subtitle, 'internal', {})).toBe(
		'Consent Changed, Left',
	);
});
