import { LoadOptionsContext } from 'n8n-core';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Sandbox } from '../../tools/sandbox';
import { additionalData, crmNode } from '../../tools/engine/nodes';
import { workflowOf } from '../support/workflowOf';

/** What the editor gives a node that fills a drop-down. */
export function editorContext(
	sandbox: Pick<Sandbox, 'url' | 'apiKey'>,
	parameters: INodeParameters = { resource: 'contact', operation: 'get' },
	credential: IDataObject = {},
	path = '',
): LoadOptionsContext {
	const node = crmNode(parameters);
	const workflow = workflowOf(node);
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
