import {
	NodeConnectionTypes,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type INodeType,
	type INodeTypes,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

import { WorkspaceCrmApi } from '../../credentials/WorkspaceCrmApi.credentials';
import type { Runtime } from '../../nodes/WorkspaceCrm/crm/connection';
import { runOperation } from '../../nodes/WorkspaceCrm/operations/run';
import { resources } from '../../nodes/WorkspaceCrm/resources';
import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node.ts';
import {
	additionalDataOf,
	nodeTypesOf,
	passThrough,
	runInEngine,
	type SavedWorkflow,
} from './engine';
import { agent } from './agent';

export { crmNode, passThroughNode, type SavedWorkflow } from './engine';

/** What a workflow with our node, built from its sources, needs of an n8n instance. */
export interface Host {
	/** The values of the credential. */
	credential: ICredentialDataDecryptedObject;
	/** Clock and budgets of the requests; by default the process's own. */
	runtime?: Runtime;
	/** Given to nodes as the execution's id. */
	executionId?: string;
	/** Addresses of n8n, in place of its own. */
	urls?: { webhookWaitingBaseUrl: string; restApiUrl: string };
	/** Gives the node another context than n8n's. */
	alter?: (context: IExecuteFunctions) => IExecuteFunctions;
}

const credentialType = new WorkspaceCrmApi();

/** Runs a saved workflow, from its first node. */
export function startWorkflow(saved: SavedWorkflow, host: Host) {
	return runInEngine(saved, {
		...host,
		credentialType,
		nodeTypes: nodeTypes(host.runtime, host.alter),
	});
}

/** n8n, too, has one for all executions. Made when it is needed: the bench only imports this file. */
let plain: WorkspaceCrm | undefined;

export function nodeTypes(
	runtime?: Runtime,
	alter: Host['alter'] = (context) => context,
): INodeTypes {
	plain ??= new WorkspaceCrm();
	const crm = Object.create(plain) as WorkspaceCrm;
	if (runtime) {
		crm.execute = async function (this: IExecuteFunctions) {
			return [await runOperation(alter(this), resources, runtime)];
		};
	}
	return nodeTypesOf({
		'n8n-nodes-base.filter': filter,
		'n8n-nodes-base.merge': merge,
		'n8n-nodes-base.manualTrigger': passThrough,
		'n8n-nodes-base.splitInBatches': loopOverItems,
		'test.agent': agent,
		'test.passThrough': passThrough,
		'test.onePerOutput': onePerOutput,
		'n8n-nodes-workspace-crm.workspaceCrm': crm as INodeType,
		'n8n-nodes-workspace-crm.workspaceCrmTool': asTool(crm as INodeType),
		'n8n-nodes-workspace-crm.workspaceCrmHitlTool': asHumanReview(crm as INodeType),
	});
}

/** Gives the first item to its first output, the second to its second, as a Switch can. */
const onePerOutput: INodeType = {
	description: {
		...passThrough.description,
		name: 'onePerOutput',
		outputs: ['main', 'main', 'main', 'main'],
	},
	async execute(this: IExecuteFunctions) {
		const items = this.getInputData();
		return [0, 1, 2, 3].map((output) => items.slice(output, output + 1));
	},
};

/** n8n's Merge, which appends the items of its inputs. */
const merge: INodeType = {
	description: {
		...passThrough.description,
		name: 'merge',
		inputs: '={{ Array($parameter.numberInputs).fill("main") }}',
		properties: [
			{ displayName: 'Number of Inputs', name: 'numberInputs', type: 'number', default: 2 },
		],
	},
	async execute(this: IExecuteFunctions) {
		const inputs = Number(this.getNodeParameter('numberInputs', 0));
		return [[...Array(inputs).keys()].flatMap((input) => this.getInputData(input))];
	},
};

/** n8n's Loop Over Items, with all items in one batch: first to 'loop', then to 'done'. */
const loopOverItems: INodeType = {
	description: { ...passThrough.description, name: 'loopOverItems', outputs: ['main', 'main'] },
	async execute(this: IExecuteFunctions) {
		const isFirst = this.getWorkflowDataProxy(0).$runIndex === 0;
		return isFirst ? [[], this.getInputData()] : [this.getInputData(), []];
	},
};

/** n8n's Filter, as far as examples use it: n8n-core itself judges its conditions. */
const filter: INodeType = {
	description: {
		...passThrough.description,
		name: 'filter',
		properties: [{ displayName: 'Conditions', name: 'conditions', type: 'filter', default: {} }],
	},
	async execute(this: IExecuteFunctions) {
		const holds = (item: number) =>
			this.getNodeParameter('conditions', item, false, { extractValue: true });
		const items = this.getInputData().map(({ json }, item) => ({ json, pairedItem: { item } }));
		return [items.filter(({ pairedItem }) => holds(pairedItem.item))];
	},
};

/** The twin that n8n makes of a node that agents can use; `test/n8n/agents.test.ts` has the real one. */
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

/** The twin with which a person approves tool calls: n8n adds a field for the text, and renames the node. */
function asHumanReview(node: INodeType): INodeType {
	const { name, properties } = node.description;
	const message = { displayName: 'Message', name: 'message', type: 'string', default: '' } as const;
	const description = {
		...node.description,
		name: `${name}HitlTool`,
		properties: [message, ...properties],
	};
	return Object.create(node, { description: { value: description } }) as INodeType;
}

export function additionalData(host: Host): IWorkflowExecuteAdditionalData {
	return additionalDataOf({ ...host, credentialType });
}
