import '../../support/quietLogs';

import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeExecutionData,
	INodeType,
	INodeTypes,
	IRun,
	VersionedNodeType,
} from 'n8n-workflow';

import { WorkspaceCrmApi } from '../../../credentials/WorkspaceCrmApi.credentials';
import { createRuntime } from '../../../nodes/WorkspaceCrm/crm/connection';
import { REFERENCE_RULE } from '../../../nodes/WorkspaceCrm/crm/rateLimiter';
import { fastClock } from '../../support/clock';
import { passThroughNode, runInEngine } from '../../engine/engine';
import { createRequire, path } from '../../support/platform';
import { nodeTypes } from '../../engine/nodes';
import { HTTP_REQUEST } from '../nodes';
import { UNLIMITED_WINDOW_MS, type Job } from './job';

/** Runs a job in n8n's own engine, in this process. */
export async function runJobInEngine(job: Job): Promise<IRun> {
	const { node, credential, items, factor, isUnlimited, n8nFolder } = job;
	const fast = fastClock(factor);
	const clock = {
		...fast,
		elapsedMs: fast.now,
		// The sandbox keeps real time, and so do requests to it.
		signalAfter: (delayMs: number) => AbortSignal.timeout(delayMs),
		random: () => Math.random(),
	};
	const rule = isUnlimited ? { ...REFERENCE_RULE, windowMs: UNLIMITED_WINDOW_MS } : REFERENCE_RULE;
	return await runInEngine(
		{
			nodes: [passThroughNode(), node],
			connections: { Start: { main: [[{ node: node.name, type: 'main', index: 0 }]] } },
			pinData: { Start: items.map((json): INodeExecutionData => ({ json })) },
		},
		{
			nodeTypes: withHttpRequest(nodeTypes(createRuntime(clock, rule)), n8nFolder),
			credentialType: node.type === HTTP_REQUEST ? headerAuth : new WorkspaceCrmApi(),
			credential: credential as ICredentialDataDecryptedObject,
		},
	);
}

/** What n8n does with its credential type for a header. */
const headerAuth: ICredentialType = {
	name: 'httpHeaderAuth',
	displayName: 'Header Auth',
	properties: [],
	authenticate: async ({ name, value }, options: IHttpRequestOptions) => ({
		...options,
		headers: { ...options.headers, [String(name)]: value },
	}),
};

/** The engine knows our node only; n8n's HTTP Request node comes from the installed n8n. */
function withHttpRequest(own: INodeTypes, n8nFolder: string): INodeTypes {
	const load = createRequire(path.join(n8nFolder, 'package.json'));
	const file = 'n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node.js';
	const { HttpRequest } = load(file) as { HttpRequest: new () => VersionedNodeType };
	const httpRequest = new HttpRequest();
	return {
		...own,
		getByName: (name) => (name === HTTP_REQUEST ? httpRequest : own.getByName(name)),
		getByNameAndVersion: (name, version): INodeType =>
			name === HTTP_REQUEST
				? httpRequest.getNodeType(version)
				: own.getByNameAndVersion(name, version),
	};
}
