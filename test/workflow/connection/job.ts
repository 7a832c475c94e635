/** Two runs of the node at the same time: one sends a template, one reads the workspace. */
export interface Job {
	baseUrl: string;
	/** How long a request may take. */
	limitMs: number;
	/** The proxy that the process has to use, if any. */
	proxy?: string;
	/** Whether n8n blocks requests to its own network. It does not by default. */
	isGuarded?: boolean;
	/** Whether Node tries the addresses of a host one after the other. n8n turns it off. */
	triesAllAddresses?: boolean;
}

/** How one run ended. */
export interface RunResult {
	/** How often the request was tried. */
	tries: number;
	/** Message and description of the error; empty if there is none. */
	text: string;
}

export interface JobResult {
	send: RunResult;
	read: RunResult;
}
