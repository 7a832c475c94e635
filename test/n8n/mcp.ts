import type { IDataObject, INode } from 'n8n-workflow';

import type { Testbed } from '../../tools/n8n/testbed';

/** What a tool returned to a client of the MCP Server Trigger. */
export interface ToolAnswer {
	text: string;
	isError: boolean;
}

/** Returns a function that posts a method to an MCP server and returns its answer. */
function mcpClient(url: string, headers: Record<string, string> = {}) {
	let session: string | undefined;
	let id = 0;
	return async (method: string, params: object): Promise<IDataObject> => {
		id += 1;
		const isNotice = method.startsWith('notifications/');
		const response = await fetch(url, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				accept: 'application/json, text/event-stream',
				connection: 'close',
				...headers,
				...(session && { 'mcp-session-id': session }),
			},
			body: JSON.stringify({ jsonrpc: '2.0', ...(!isNotice && { id }), method, params }),
		});
		session ??= response.headers.get('mcp-session-id') ?? undefined;
		const text = await response.text();
		if (!response.ok) throw new Error(`${method} gave ${response.status}: ${text}`);
		const data = text.split('\n').find((line) => line.startsWith('data: '));
		return JSON.parse(data?.slice('data: '.length) ?? (text || '{}')) as IDataObject;
	};
}

/** Publishes tools with n8n's MCP Server Trigger, and lets a client call them. */
export async function whileServed(
	{ n8n }: Testbed,
	tools: INode[],
	act: (call: (tool: string, values: IDataObject) => Promise<ToolAnswer>) => Promise<void>,
): Promise<void> {
	const path = crypto.randomUUID();
	const trigger: INode = {
		id: 'mcp',
		name: 'MCP',
		type: '@n8n/n8n-nodes-langchain.mcpTrigger',
		typeVersion: 2,
		position: [0, 0],
		parameters: { authentication: 'none', path },
		webhookId: path,
	};
	const toTrigger = { ai_tool: [[{ node: 'MCP', type: 'ai_tool' as const, index: 0 }]] };
	const { id: workflowId } = await n8n.rest.createWorkflow({
		name: 'MCP',
		nodes: [trigger, ...tools],
		connections: Object.fromEntries(tools.map(({ name }) => [name, toTrigger])),
		settings: { executionOrder: 'v1' },
	});
	await n8n.rest.publish(workflowId);
	const post = mcpClient(`${n8n.url}/mcp/${path}`);
	try {
		await post('initialize', {
			protocolVersion: '2025-03-26',
			capabilities: {},
			clientInfo: { name: 'test', version: '1' },
		});
		await post('notifications/initialized', {});
		await act(async (name, values) => {
			const { result, error } = await post('tools/call', { name, arguments: values });
			if (error) throw new Error(JSON.stringify(error));
			const { content, isError = false } = result as unknown as {
				content: Array<{ text: string }>;
				isError?: boolean;
			};
			return { text: content.map(({ text }) => text).join(), isError };
		});
	} finally {
		await n8n.rest.unpublish(workflowId);
	}
}

/** Calls the tools of n8n's own MCP server, with which models find nodes and build workflows. */
export type CallTool = <Answer>(tool: string, values: object) => Promise<Answer>;

/** Enables n8n's MCP server. Returns a function that calls a tool, and rejects if it answers with an error. */
export async function openMcpServer({ n8n }: Testbed): Promise<CallTool> {
	await n8n.rest.request('PATCH', '/mcp/settings', { mcpAccessEnabled: true });
	const { apiKey } = await n8n.rest.get<{ apiKey: string }>('/mcp/api-key');
	const post = mcpClient(`${n8n.url}/mcp-server/http`, { authorization: `Bearer ${apiKey}` });
	return async <Answer>(name: string, values: object) => {
		const { result, error } = await post('tools/call', { name, arguments: values });
		const { structuredContent } = (result ?? {}) as { structuredContent?: Answer };
		if (!structuredContent) throw new Error(`${name}: ${JSON.stringify(error ?? result)}`);
		return structuredContent;
	};
}
