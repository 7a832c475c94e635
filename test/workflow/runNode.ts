import type {
	ExecutionBaseError,
	IDataObject,
	INode,
	INodeExecutionData,
	NodeApiError,
} from 'n8n-workflow';

import { createRuntime, type Runtime } from '../../nodes/WorkspaceCrm/api/runtime';
import { systemClock } from '../../nodes/WorkspaceCrm/api/clock';
import type { Sandbox } from '../sandbox';
import { crmNode, runWorkflow } from './engine';

export interface NodeRun {
	parameters: INode['parameters'];
	/** The JSON of the input items; one empty item by default. */
	items?: IDataObject[];
	onError?: INode['onError'];
	settings?: Partial<INode>;
	credential?: IDataObject;
	runtime?: Runtime;
	executionId?: string;
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
}

/** Runs the node between an input and its two outputs, in a workflow as n8n saves it. */
export async function runNode(sandbox: Sandbox, run: NodeRun): Promise<NodeResult> {
	const inputs = (run.items ?? [{}]).map((json) => ({ json })) as INodeExecutionData[];
	const start: INode = {
		...crmNode({}),
		id: 'start',
		name: 'Start',
		type: 'test.passThrough',
		credentials: undefined,
	};
	const result = await runWorkflow(
		{
			nodes: [start, crmNode(run.parameters, { onError: run.onError, ...run.settings })],
			connections: { Start: { main: [[{ node: 'CRM', type: 'main', index: 0 }]] } },
			pinData: { Start: inputs },
		},
		{
			credential: {
				baseUrl: sandbox.url,
				apiKey: sandbox.apiKey,
				authHeader: 'bearer',
				...run.credential,
			} as never,
			runtime: run.runtime ?? createRuntime(systemClock),
			executionId: run.executionId,
		},
	);

	const { runData, error } = result.data.resultData;
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
	};
}
