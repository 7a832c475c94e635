import type { IDataObject, IRunExecutionData } from 'n8n-workflow';

/** The items that a node gave on one of its outputs, over all its runs. */
export function outputItems(
	data: IRunExecutionData,
	nodeName: string,
	outputIndex = 0,
): IDataObject[] {
	const runs = data.resultData.runData[nodeName] ?? [];
	return runs.flatMap((run) => run.data?.main[outputIndex] ?? []).map(({ json }) => json);
}
