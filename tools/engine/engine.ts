import '../support/quietLogs';

import {
	ExecutionLifecycleHooks,
	ExternalSecretsProxy,
	getAdditionalKeys,
	WorkflowExecute,
} from 'n8n-core';
import {
	createRunExecutionData,
	ICredentialsHelper,
	Workflow,
	type ICredentialDataDecryptedObject,
	type ICredentials,
	type ICredentialType,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type INode,
	type INodeParameterResourceLocator,
	type INodeParameters,
	type INodeType,
	type INodeTypes,
	type IRun,
	type IRunExecutionData,
	type IWorkflowBase,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

/** What a workflow needs of an n8n instance. */
export interface EngineHost {
	nodeTypes: INodeTypes;
	credentialType: ICredentialType;
	/** The values of the credential. */
	credential: ICredentialDataDecryptedObject;
	/** Given to nodes as the execution's id. By default, each run has another. */
	executionId?: string;
	/** Addresses of n8n, in place of its own. */
	urls?: { webhookWaitingBaseUrl: string; restApiUrl: string };
}

export type SavedWorkflow = Pick<IWorkflowBase, 'nodes' | 'connections' | 'pinData'>;

/** Runs a saved workflow, from its first node, in n8n-core's engine, with its own HTTP helper. */
export function runInEngine(saved: SavedWorkflow, host: EngineHost) {
	const workflow = workflowOf(saved, host.nodeTypes);
	const startNode = workflow.getNode(saved.nodes[0].name) ?? undefined;
	executions += 1;
	const executionId = host.executionId ?? String(executions);
	const engine = engineFor(saved, { ...host, executionId }, createRunExecutionData({}));
	const running = engine.run({ workflow, startNode, pinData: saved.pinData });
	void running.then(
		(run) => executionIds.set(run, executionId),
		() => {},
	);
	return running;
}

let executions = 0;
const executionIds = new WeakMap<IRun, string>();

/** The id of an execution that has run in this engine. */
export const executionIdOf = (run: IRun) => executionIds.get(run);

/** Resumes a waiting execution, as n8n does when its time is over or a webhook has given it data. */
export function resumeInEngine(saved: SavedWorkflow, host: EngineHost, waiting: IRunExecutionData) {
	return engineFor(saved, host, waiting).processRunExecutionData(workflowOf(saved, host.nodeTypes));
}

export function workflowOf({ nodes, connections }: SavedWorkflow, nodeTypes: INodeTypes): Workflow {
	const settings = { executionOrder: 'v1' } as const;
	return new Workflow({ id: 'test', nodes, connections, active: false, nodeTypes, settings });
}

function engineFor(saved: SavedWorkflow, host: EngineHost, data: IRunExecutionData) {
	const additional = additionalDataOf(host);
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
	return new WorkflowExecute(additional, 'trigger', data);
}

/** The node types by their full names. */
export function nodeTypesOf(byName: Record<string, INodeType>): INodeTypes {
	return {
		getByName: (name) => byName[name],
		getByNameAndVersion: (name) => byName[name],
		getKnownTypes: () => ({}),
	};
}

/** A node that passes its input on: the start of a workflow, or a place to look at its end. */
export const passThrough: INodeType = {
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

/** How often a credential was decrypted: outside of executions, n8n takes some 40 ms for it each time. */
export const decryptions = { count: 0 };

/** n8n's own credential store lives in its server; this is the part of it that requests use. */
class TestCredentials extends ICredentialsHelper {
	constructor(
		private readonly type: ICredentialType,
		private readonly data: ICredentialDataDecryptedObject,
	) {
		super();
	}

	getParentTypes = () => [];
	isCredentialUsableByNode = () => true;
	getCredentialsProperties = () => this.type.properties;
	preAuthentication = async () => undefined;
	runPreAuthentication = async () => undefined;
	/** Resolves expressions as n8n does: with the item in an execution, else with nothing. */
	getDecrypted: ICredentialsHelper['getDecrypted'] = async (...values) => {
		const [additional, , , mode, executeData, , item] = values;
		decryptions.count += 1;
		const data = { ...this.data };
		const keys = getAdditionalKeys(additional, mode, null, { isCredential: true });
		if (item) {
			return item.workflow.expression.getParameterValue(
				data as INodeParameters,
				item.runExecutionData,
				item.runIndex,
				item.itemIndex,
				item.node.name,
				item.connectionInputData,
				mode,
				keys,
				executeData,
				false,
				data as INodeParameters,
			) as ICredentialDataDecryptedObject;
		}
		const nodeTypes = nodeTypesOf({ 'test.passThrough': passThrough });
		const nobody = workflowOf({ nodes: [passThroughNode()], connections: {} }, nodeTypes);
		return nobody.expression.getComplexParameterValue(
			passThroughNode(),
			data as INodeParameters,
			mode,
			keys,
			undefined,
			undefined,
			data,
		) as ICredentialDataDecryptedObject;
	};
	updateCredentials = async () => {};
	updateCredentialsOauthTokenData = async () => {};

	async getCredentials() {
		return { getData: async () => ({ ...this.data }) } as unknown as ICredentials;
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

export function additionalDataOf({
	credentialType,
	credential,
	executionId,
	urls,
}: Omit<EngineHost, 'nodeTypes'>): IWorkflowExecuteAdditionalData {
	const url = 'http://127.0.0.1:5678/';
	return {
		credentialsHelper: new TestCredentials(credentialType, credential),
		executionId: executionId ?? '1',
		externalSecretsProxy: new ExternalSecretsProxy(),
		currentNodeExecutionIndex: 0,
		restApiUrl: `${url}rest`,
		instanceBaseUrl: url,
		formBaseUrl: `${url}form`,
		formWaitingBaseUrl: `${url}form-waiting`,
		formTestBaseUrl: `${url}form-test`,
		webhookBaseUrl: `${url}webhook`,
		// As behind a proxy, where the service can reach it.
		webhookWaitingBaseUrl: 'https://n8n.example.com/webhook-waiting',
		webhookTestBaseUrl: `${url}webhook-test`,
		mcpBaseUrl: `${url}mcp`,
		mcpTestBaseUrl: `${url}mcp-test`,
		...urls,
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

/** The start of a workflow, which passes the items that are pinned to it to the next node. */
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

/** A resource locator as the editor saves it. */
export function chosen(mode: string, value: string | number): INodeParameterResourceLocator {
	return { __rl: true, mode, value };
}

/** The variables of a template with their values, as the editor saves them. */
export function variablesOf(value: INodeParameters): INodeParameters {
	const schema = Object.keys(value).map((id) => ({
		id,
		displayName: `${id}: the words around it`,
		type: 'string',
		required: false,
		defaultMatch: false,
		canBeUsedToMatch: false,
		display: true,
	}));
	return { mappingMode: 'defineBelow', value, schema };
}
