import '../../support/quietLogs';

import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	VersionedNodeType,
	Workflow,
	type ICredentialDataDecryptedObject,
	type IHttpRequestOptions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypes,
	type IRun,
	type IWorkflowBase,
} from 'n8n-workflow';

import { createRuntime } from '../../../nodes/WorkspaceCrm/api/runtime';
import { REFERENCE_RULE } from '../../../nodes/WorkspaceCrm/api/rateLimiter';
import { fastClock } from '../../support/clock';
import { createRequire, path } from '../../support/platform';
import { additionalData, nodeTypes, passThroughNode } from '../../workflow/engine';
import { HTTP_REQUEST } from '../nodes';
import { UNLIMITED_WINDOW_MS, type Job } from './job';

/** Runs a job in n8n's own engine, in this process. */
export async function runInEngine(job: Job): Promise<IRun> {
	const { node, credential, items, factor, isUnlimited, n8nFolder } = job;
	const saved: IWorkflowBase = {
		id: 'bench',
		name: 'Bench',
		nodes: [passThroughNode(), node],
		connections: { Start: { main: [[{ node: node.name, type: 'main', index: 0 }]] } },
		active: false,
		isArchived: false,
		activeVersionId: null,
		createdAt: new Date(),
		updatedAt: new Date(),
	};
	const fast = fastClock(factor);
	const clock = {
		...fast,
		elapsedMs: fast.now,
		// The sandbox keeps real time, and so do requests to it.
		signalAfter: (delayMs: number) => AbortSignal.timeout(delayMs),
		random: () => Math.random(),
	};
	const rule = isUnlimited ? { ...REFERENCE_RULE, windowMs: UNLIMITED_WINDOW_MS } : REFERENCE_RULE;
	const workflow = new Workflow({
		...saved,
		nodeTypes: withHttpRequest(nodeTypes(createRuntime(clock, rule)), n8nFolder),
		settings: { executionOrder: 'v1' },
	});
	const additional = additionalData({
		credential: credential as ICredentialDataDecryptedObject,
	});
	if (node.type === HTTP_REQUEST) additional.credentialsHelper.authenticate = addHeader;
	additional.hooks = new ExecutionLifecycleHooks('trigger', '1', saved);
	const engine = new WorkflowExecute(additional, 'trigger', createRunExecutionData({}));
	return await engine.run({
		workflow,
		startNode: workflow.getNode('Start') ?? undefined,
		pinData: { Start: items.map((json): INodeExecutionData => ({ json })) },
	});
}

/** What n8n does with its credential type for a header; the engine's helper knows only ours. */
async function addHeader(
	{ name, value }: ICredentialDataDecryptedObject,
	_type: string,
	options: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	return { ...options, headers: { ...options.headers, [String(name)]: value } };
}

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
