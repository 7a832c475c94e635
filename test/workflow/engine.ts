import './quietLogs';

import { ExecutionLifecycleHooks, ExternalSecretsProxy, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	ICredentialsHelper,
	NodeConnectionTypes,
	Workflow,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type INode,
	type INodeType,
	type INodeTypes,
	type IRun,
	type IWorkflowBase,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

import { WorkspaceCrmApi } from '../../credentials/WorkspaceCrmApi.credentials';
import type { Runtime } from '../../nodes/WorkspaceCrm/api/runtime';
import { runOperation } from '../../nodes/WorkspaceCrm/operations/run';
import { resources } from '../../nodes/WorkspaceCrm/resources';
import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import { agent } from './agent';

/** What a workflow needs of an n8n instance: the node types, and the values of the credential. */
export interface Host {
	credential: ICredentialDataDecryptedObject;
	/** Clock and budgets of the requests; by default the process's own. */
	runtime?: Runtime;
	/** Given to nodes as the execution's id. */
	executionId?: string;
}

export type SavedWorkflow = Pick<IWorkflowBase, 'nodes' | 'connections' | 'pinData'>;

/** Runs a saved workflow, from its first node, in n8n-core's engine, with its own HTTP helper. */
export function startWorkflow(saved: SavedWorkflow, host: Host) {
	const workflow = new Workflow({
		id: 'test',
		nodes: saved.nodes,
		connections: saved.connections,
		active: false,
		nodeTypes: nodeTypes(host.runtime),
		settings: { executionOrder: 'v1' },
	});
	const data = createRunExecutionData({});
	const additional = additionalData(host);
	additional.hooks = new ExecutionLifecycleHooks('trigger', host.executionId ?? '1', {
		...saved,
		id: 'test',
		name: 'Test',
		active: false,
		isArchived: false,
		activeVersionId: null,
		createdAt: new Date(),
		updatedAt: new Date(),
	});
	const engine = new WorkflowExecute(additional, 'trigger', data);
	const startNode = workflow.getNode(saved.nodes[0].name) ?? undefined;
	return engine.run({ workflow, startNode, pinData: saved.pinData });
}

export async function runWorkflow(saved: SavedWorkflow, host: Host): Promise<IRun> {
	return await startWorkflow(saved, host);
}

/** A node that gives what it gets: the start of a workflow, or a place to look at its end. */
const passThrough: INodeType = {
	description: {
		displayName: 'Pass Through',
		name: 'passThrough',
		group: ['transform'],
		version: 1,
		description: '',
		defaults: { name: 'Pass Through' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	},
	async execute(this: IExecuteFunctions) {
		return [this.getInputData()];
	},
};

export function nodeTypes(runtime?: Runtime): INodeTypes {
	const crm = new WorkspaceCrm();
	if (runtime) {
		crm.execute = async function (this: IExecuteFunctions) {
			return [await runOperation(this, resources, runtime)];
		};
	}
	const byName: Record<string, INodeType> = {
		'test.agent': agent,
		'test.passThrough': passThrough,
		'n8n-nodes-workspace-crm.workspaceCrm': crm as INodeType,
		'n8n-nodes-workspace-crm.workspaceCrmTool': asTool(crm as INodeType),
	};
	return {
		getByName: (name) => byName[name],
		getByNameAndVersion: (name) => byName[name],
		getKnownTypes: () => ({}),
	};
}

/** The twin that n8n makes of a node that agents can use; `test/n8n/tool.test.ts` has the real one. */
export function asTool(node: INodeType): INodeType {
	const description = {
		...node.description,
		name: `${node.description.name}Tool`,
		displayName: `${node.description.displayName} Tool`,
		inputs: [],
		outputs: [NodeConnectionTypes.AiTool],
	};
	return Object.create(node, { description: { value: description } }) as INodeType;
}

/** n8n's own credential store lives in its server; this is the part of it that requests use. */
class TestCredentials extends ICredentialsHelper {
	private readonly type = new WorkspaceCrmApi();

	constructor(private readonly data: ICredentialDataDecryptedObject) {
		super();
	}

	getParentTypes = () => [];
	isCredentialUsableByNode = () => true;
	getCredentialsProperties = () => this.type.properties;
	preAuthentication = async () => undefined;
	runPreAuthentication = async () => undefined;
	getDecrypted = async () => ({ ...this.data });
	updateCredentials = async () => {};
	updateCredentialsOauthTokenData = async () => {};

	getCredentials(): Promise<never> {
		throw new Error('not needed by requests');
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		_typeName: string,
		options: IHttpRequestOptions,
	) {
		if (typeof this.type.authenticate !== 'function') throw new Error('expected a function');
		return await this.type.authenticate(credentials, options);
	}
}

export function additionalData({ credential, executionId }: Host): IWorkflowExecuteAdditionalData {
	const url = 'http://127.0.0.1:5678/';
	return {
		credentialsHelper: new TestCredentials(credential),
		executionId,
		externalSecretsProxy: new ExternalSecretsProxy(),
		currentNodeExecutionIndex: 0,
		restApiUrl: `${url}rest`,
		instanceBaseUrl: url,
		formBaseUrl: `${url}form`,
		formWaitingBaseUrl: `${url}form-waiting`,
		formTestBaseUrl: `${url}form-test`,
		webhookBaseUrl: `${url}webhook`,
		webhookWaitingBaseUrl: `${url}webhook-waiting`,
		webhookTestBaseUrl: `${url}webhook-test`,
		mcpBaseUrl: `${url}mcp`,
		mcpTestBaseUrl: `${url}mcp-test`,
		variables: {},
		logAiEvent: () => {},
		executeWorkflow: unused,
		getRunExecutionData: unused,
		getRuntimeCredential: unused,
		startRunnerTask: unused,
	} as IWorkflowExecuteAdditionalData;
}

async function unused(): Promise<never> {
	throw new Error('not part of these tests');
}

/** The node as it is saved in a workflow. */
export function crmNode(parameters: INode['parameters'], settings: Partial<INode> = {}): INode {
	return {
		id: 'crm',
		name: 'CRM',
		type: 'n8n-nodes-workspace-crm.workspaceCrm',
		typeVersion: 1,
		position: [200, 0],
		parameters,
		credentials: { workspaceCrmApi: { id: '1', name: 'CRM' } },
		...settings,
	};
}

/** The start of a workflow, which gives the node after it the items that are pinned to it. */
export function passThroughNode(): INode {
	return {
		id: 'start',
		name: 'Start',
		type: 'test.passThrough',
		typeVersion: 1,
		position: [200, 0],
		parameters: {},
	};
}
