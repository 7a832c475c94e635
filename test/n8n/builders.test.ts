import type { INode } from 'n8n-workflow';

import { listSearch } from '../../nodes/WorkspaceCrm/editor/listSearch';
import { loadOptions } from '../../nodes/WorkspaceCrm/editor/loadOptions';
import { createRequire, fs, path } from '../support/platform';
import { ensureHost } from './installHost';
import { openMcpServer, type CallTool } from './mcpServer';
import { examplesFolder } from './paths';
import { startTestbed, type Testbed } from './testbed';

/**
 * What n8n's own MCP server tells a model that builds workflows. Nothing here is simulated but the model:
 * the calls are those that it would make.
 */
let bed: Testbed;
let call: CallTool;
let hostFolder: string;

const NODE = 'n8n-nodes-workspace-crm.workspaceCrm';
const nodes = [NODE, `${NODE}Trigger`, `${NODE}ChangesTrigger`];
const examples = fs.readdirSync(examplesFolder).filter((name) => name.endsWith('.json'));

beforeAll(async () => {
	bed = await startTestbed();
	const { store } = bed.sandbox;
	const { id } = store.addContact({ phone: '+4915123456789', name: 'Anna', tags: ['vip'] });
	store.contacts.get(id)!.attributes = { plan: 'pro' };
	call = await openMcpServer(bed);
	hostFolder = (await ensureHost()).folder;
}, 900_000);
afterAll(async () => await bed?.close());

test.each(['whatsapp', 'workspace crm', 'segment', 'newsletter'])(
	'a search for "%s" finds the nodes, with a hint how to use them',
	async (query) => {
		const { results } = await call<{ results: string }>('search_nodes', { queries: [query] });
		expect(results).toContain(`- ${NODE}\n`);
		expect(results).toContain('use Message > Send Campaign, not a loop with Send Template');
	},
);

test.each(nodes)(
	'the definition of %s fits into what a model reads, with its hint',
	async (nodeId) => {
		const { definitions } = await call<{ definitions: string }>('get_node_types', {
			nodeIds: [{ nodeId }],
		});
		expect(definitions).toContain('@builderHint');
		// before, two lists of all countries were most of it
		expect(definitions).not.toContain('Zimbabwe');
		expect(definitions.length).toBeLessThan(40_000);
	},
);

test.each([
	...Object.keys(listSearch).map((name) => [name, 'listSearch'] as const),
	...Object.keys(loadOptions).map((name) => [name, 'loadOptions'] as const),
])('%s gives the records that the workspace has', async (methodName, methodType) => {
	if (methodName === 'searchSubscriptions') {
		const { url, apiKey } = bed.sandbox;
		const body = JSON.stringify({ url: 'https://example.com/hook', events: ['tag.added'] });
		const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
		await fetch(`${url}/v1/subscriptions`, { method: 'POST', headers, body });
	}
	const { results } = await call<{ results: Array<{ name: string; value: string }> }>(
		'explore_node_resources',
		{
			nodeType: NODE,
			version: 1,
			methodName,
			methodType,
			credentialType: 'workspaceCrmApi',
			credentialId: 'crm',
		},
	);
	expect(results.length).toBeGreaterThan(0);
	for (const { name, value } of results) expect(name && value).toBeTruthy();
});

test.each(examples)('%s is valid', async (file) => {
	const workflow = JSON.parse(fs.readFileSync(path.join(examplesFolder, file), 'utf8')) as {
		nodes: INode[];
	};
	const answer = await call<{ valid: boolean; warnings?: Array<{ nodeName?: string }> }>(
		'validate_workflow',
		{ code: toCode(workflow) },
	);
	expect(answer.valid).toBe(true);
	// each person adds a model of their own to the agent
	const { warnings = [] } = answer;
	expect(warnings.filter(({ nodeName }) => nodeName !== 'AI Agent')).toEqual([]);
});

/** A workflow as the code that models write, by n8n's own generator. */
function toCode(workflow: object): string {
	const fromHost = createRequire(path.join(hostFolder, 'package.json'));
	const sdk = fromHost('@n8n/workflow-sdk') as {
		generateWorkflowCode(input: { workflow: object }): string;
	};
	return sdk.generateWorkflowCode({ workflow });
}
