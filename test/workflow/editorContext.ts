import { LoadOptionsContext } from 'n8n-core';
import { Workflow, type IDataObject, type INodeParameters } from 'n8n-workflow';

import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import type { Sandbox } from '../sandbox';
import { additionalData, crmNode, nodeTypes } from './engine';

const { listSearch } = new WorkspaceCrm().methods;

/** What the editor gives a node that fills a drop-down. */
export function editorContext(
	sandbox: Pick<Sandbox, 'url' | 'apiKey'>,
	parameters: INodeParameters = { resource: 'contact', operation: 'get' },
	credential: IDataObject = {},
	path = '',
): LoadOptionsContext {
	const node = crmNode(parameters);
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: nodeTypes(),
	});
	const additional = additionalData({
		credential: {
			baseUrl: sandbox.url,
			apiKey: sandbox.apiKey,
			authHeader: 'bearer',
			...(credential as Record<string, string>),
		},
	});
	additional.currentNodeParameters = parameters;
	return new LoadOptionsContext(workflow, node, additional, path);
}

/** The entries of a drop-down. */
export async function entriesOf(
	sandbox: Pick<Sandbox, 'url' | 'apiKey'>,
	method: keyof typeof listSearch,
	filter?: string,
) {
	const { results } = await listSearch[method].call(editorContext(sandbox), filter);
	return results.map(({ name, value }) => ({ name, value: String(value) }));
}
