import { LoadOptionsContext } from 'n8n-core';
import { Workflow, type IDataObject, type INodeParameters } from 'n8n-workflow';

import type { Sandbox } from '../../tools/sandbox';
import { additionalData, crmNode, nodeTypes } from '../../tools/engine/nodes';

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
