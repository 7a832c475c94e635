import {
	Workflow,
	type INode,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';

import { WorkspaceCrmTrigger } from '../../nodes/WorkspaceCrm/WorkspaceCrmTrigger.node';
import { crmNode, nodeTypes } from '../workflow/engine';

const { description, webhookMethods } = new WorkspaceCrmTrigger();
const [events, simplify, options] = description.properties;
const optionFields = options.options as INodeProperties[];

test('the saved interface stays', () => {
	expect(description.name).toBe('workspaceCrmTrigger');
	expect(description.properties.map(({ name }) => name)).toEqual(['events', 'simplify', 'options']);
	expect(optionFields.map(({ name }) => name).sort()).toEqual([
		'flowIds',
		'knownEvents',
		'knownTags',
		'maxAge',
		'messageContains',
		'messageTypes',
		'onlyNewContacts',
		'otherEvents',
		'tags',
	]);
});

test("with this label and static options, n8n's node panel lists one entry for each event", () => {
	expect(events.displayName).toBe('Trigger On');
	expect(events.typeOptions?.loadOptionsMethod).toBeUndefined();
	const listed = events.options as INodePropertyOptions[];
	expect(listed.map(({ value }) => value)).toEqual([
		'contact.created',
		'contact.opted_out',
		'form.submitted',
		'message.received',
		'tag.added',
	]);
	const names = listed.map(({ name }) => name);
	expect(names).toEqual([...names].sort());
});

test('it is a trigger: no inputs, one webhook, all three lifecycle methods, simplified by default', () => {
	expect(description.inputs).toEqual([]);
	expect(description.usableAsTool).toBeUndefined();
	expect(description.webhooks).toHaveLength(1);
	expect(Object.keys(webhookMethods.default)).toEqual(['checkExists', 'create', 'delete']);
	expect(simplify.default).toBe(true);
});

test('options are in alphabetical order and start with nothing set', () => {
	const labels = optionFields.map(({ displayName }) => displayName);
	expect(labels).toEqual([...labels].sort((a, b) => a.localeCompare(b, 'en')));
	expect(options.default).toEqual({});
});

test('its texts say publish, as n8n does, and never activate', () => {
	const { triggerPanel, activationMessage } = description;
	const shown = JSON.stringify([triggerPanel, activationMessage])
		.replaceAll('"activationHint"', '')
		.replaceAll('data-key=\\"activate\\"', '');
	expect(shown).toContain('ublish');
	expect(shown).not.toMatch(/activat/i);
});

test.each([
	[['contact.opted_out'], undefined, 'Contact Opted Out'],
	[
		['contact.created', 'tag.added'],
		'message.delivered',
		'Contact Created, Tag Added, Message Delivered',
	],
	[[], ['message.read'], 'Message Read'],
	[[], undefined, ''],
])('on the canvas it names its events: %j', (chosen, otherEvents, expected) => {
	const node: INode = {
		...crmNode({ events: chosen, options: { otherEvents } }),
		type: description.name,
	};
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: nodeTypes(),
	});
	const subtitle = workflow.expression.getSimpleParameterValue(
		node,
		description.subtitle,
		'internal',
		{},
	);
	expect(subtitle).toBe(expected);
});
