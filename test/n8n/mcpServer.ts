import type { IDataObject } from 'n8n-workflow';

import type { Testbed } from './testbed';

/** Calls the tools of n8n's own MCP server, by which models look for nodes and build workflows. */
export type CallTool = <Answer>(tool: string, values: object) => Promise<Answer>;

/** Lets models in, and gives what calls the server's tools; it rejects when a tool answers with an error. */
export async function openMcpServer({ n8n }: Testbed): Promise<CallTool> {
	await n8n.rest.request('PATCH', '/mcp/settings', { mcpAccessEnabled: true });
	const { apiKey } = await n8n.rest.get<{ apiKey: string }>('/mcp/api-key');
	let id = 0;
	return async <Answer>(name: string, values: object) => {
		id += 1;
		const response = await fetch(`${n8n.url}/mcp-server/http`, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				accept: 'application/json, text/event-stream',
				authorization: `Bearer ${apiKey}`,
			},
			body: JSON.stringify({
				jsonrpc: '2.0',
				id,
				method: 'tools/call',
				params: { name, arguments: values },
			}),
		});
		const text = await response.text();
		const data = text.split('\n').find((line) => line.startsWith('data: '));
		const { result, error } = JSON.parse(data?.slice('data: '.length) ?? text) as {
			result?: { structuredContent?: Answer; isError?: boolean; content?: IDataObject[] };
			error?: unknown;
		};
		if (!result?.structuredContent) throw new Error(`${name}: ${JSON.stringify(error ?? result)}`);
		return result.structuredContent;
	};
}
