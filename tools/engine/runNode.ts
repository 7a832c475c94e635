import type {
	ExecutionBaseError,
	IDataObject,
	INode,
	INodeExecutionData,
	IRun,
	NodeApiError,
} from 'n8n-workflow';

import { systemClock } from '../../nodes/WorkspaceCrm/n8n/systemClock';
import { createRuntime, type Runtime } from '../../nodes/WorkspaceCrm/crm/connection';
import type { Sandbox } from '../sandbox';
import { crmNode, passThroughNode, startWorkflow, type Host, type SavedWorkflow } from './nodes';

export interface NodeRun {
	parameters: INode['parameters'];
	/** The JSON of the input items; one empty item by default. */
	items?: IDataObject[];
	/** The files of each input item. */
	binary?: INodeExecutionData['binary'];
	onError?: INode['onError'];
	settings?: Partial<INode>;
	credential?: IDataObject;
	runtime?: Runtime;
	executionId?: string;
	urls?: Host['urls'];
	alter?: Host['alter'];
}

export interface NodeResult {
	/** The JSON of the first output. */
	json: IDataObject[];
	output: INodeExecutionData[];
	/** The JSON of the error output. */
	failed: IDataObject[];
	failedOutput: INodeExecutionData[];
	/** What stopped the run, if anything. */
	error?: NodeApiError;
	hints: string[];
	/** All that n8n keeps of the execution. */
	run: IRun;
}

/** Runs the node between an input and its two outputs, in a workflow as n8n saves it. */
export async function runNode(sandbox: Sandbox, run: NodeRun): Promise<NodeResult> {
	return toResult(await startNode(sandbox, run));
}

/** Starts the same run, for callers that want to stop it. */
export function startNode(sandbox: Sandbox, run: NodeRun) {
	return startWorkflow(toWorkflow(run), toHost(sandbox, run));
}

function toWorkflow({
	items = [{}],
	binary,
	parameters,
	onError,
	settings,
}: NodeRun): SavedWorkflow {
	const inputs = items.map((json) => ({ json, ...(binary && { binary }) }) as INodeExecutionData);
	return {
		nodes: [passThroughNode(), crmNode(parameters, { onError, ...settings })],
		connections: { Start: { main: [[{ node: 'CRM', type: 'main', index: 0 }]] } },
		pinData: { Start: inputs },
	};
}

function toHost(
	sandbox: Pick<Sandbox, 'url' | 'apiKey'>,
	{ credential, runtime, executionId, urls, alter }: NodeRun,
): Host {
	return {
		credential: {
			baseUrl: sandbox.url,
			apiKey: sandbox.apiKey,
			authHeader: 'bearer',
			...credential,
		} as Host['credential'],
		runtime: runtime ?? createRuntime(systemClock),
		executionId,
		urls,
		alter,
	};
}

function toResult(run: IRun): NodeResult {
	const { runData, error } = run.data.resultData;
	const data = runData.CRM?.[0];
	const output = data?.data?.main[0] ?? [];
	const failedOutput = data?.data?.main[1] ?? [];
	return {
		json: output.map(({ json }) => json),
		output,
		failed: failedOutput.map(({ json }) => json),
		failedOutput,
		error: error as ExecutionBaseError as NodeApiError | undefined,
		hints: (data?.hints ?? []).map(({ message }) => message),
		run,
	};
}

/** What the node adds to the error of a failed item. */
export function detailsOf(json: IDataObject): { description?: string; statusCode?: number } {
	return (json.errorDetails ?? {}) as { description?: string; statusCode?: number };
}
