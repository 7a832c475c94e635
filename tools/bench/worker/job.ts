import type { IDataObject, INode } from 'n8n-workflow';

/** So short that no machine can make our node's 120 requests in it. */
export const UNLIMITED_WINDOW_MS = 6;

/** One run of one node by a worker. */
export interface Job {
	/** As it is saved in a workflow. */
	node: INode;
	/** The decrypted credential. */
	credential: IDataObject;
	/** The JSON of the input items. */
	items: IDataObject[];
	/** How many times as fast as real time the clock of our node runs. */
	factor: number;
	/** Whether our node may make its 120 requests in `UNLIMITED_WINDOW_MS` in place of a minute. */
	isUnlimited?: boolean;
	/** Where n8n's own nodes are installed. */
	n8nFolder: string;
}

/** How a job went. */
export interface JobResult {
	/** In real time. */
	elapsedMs: number;
	/** Processor time of the whole process, user and system. */
	cpuMs: number;
	/** The most memory that was in use during the run, above what was in use before it. */
	peakBytes: number;
	/** Items on the first output that are no errors. */
	succeeded: number;
	/** Items with an error on either output. */
	failed: number;
	/** What stopped the run, if anything. */
	error?: string;
}
