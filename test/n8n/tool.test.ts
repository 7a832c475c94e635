import { NodeHelpers, type INodeTypeDescription } from 'n8n-workflow';

import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import { operations } from '../support/operations';
import { asTool } from '../workflow/engine';
import { startTestbed, type Testbed } from './testbed';

let bed: Testbed;
let ours: INodeTypeDescription[];

beforeAll(async () => {
	bed = await startTestbed();
	const { rest, url } = bed.n8n;
	const response = await fetch(`${url}/types/nodes.json`, { headers: { cookie: rest.cookie } });
	const all = (await response.json()) as INodeTypeDescription[];
	ours = all.filter(({ name }) => name.startsWith('n8n-nodes-workspace-crm.'));
}, 900_000);
afterAll(async () => await bed?.close());

const typeOf = (name: string) =>
	ours.find((type) => type.name === `n8n-nodes-workspace-crm.${name}`) as INodeTypeDescription;

test('n8n lists our two nodes, and a tool for agents that it makes of the first', () => {
	expect(ours.map(({ name }) => name.split('.')[1]).sort()).toEqual([
		'workspaceCrm',
		'workspaceCrmTool',
		'workspaceCrmTrigger',
	]);
});

test('the tool is as the tests without a real n8n assume', () => {
	const { displayName, inputs, outputs, credentials } = asTool(new WorkspaceCrm()).description;
	expect(typeOf('workspaceCrmTool')).toMatchObject({ displayName, inputs, outputs, credentials });
	expect(typeOf('workspaceCrm')).toMatchObject({ inputs: ['main'], outputs: ['main'] });
});

test('the tool can do all that the node can, and says so by itself', () => {
	const { properties } = typeOf('workspaceCrmTool');
	const own = properties.filter(
		({ name }) => !['descriptionType', 'toolDescription'].includes(name),
	);
	expect(own).toEqual(typeOf('workspaceCrm').properties);
	expect(properties.find(({ name }) => name === 'descriptionType')?.default).toBe('auto');
});

test.each(operations)('its description is "$action in Workspace CRM"', (each) => {
	const { resource, operation, action } = each;
	const description = NodeHelpers.makeDescription(
		{ resource, operation },
		typeOf('workspaceCrmTool'),
	);
	expect(description).toBe(`${action} in Workspace CRM`);
});
