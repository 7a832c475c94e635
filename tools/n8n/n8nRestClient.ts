import { parse } from 'flatted';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INodeTypeDescription,
	IRunExecutionData,
	ITaskData,
	IWorkflowBase,
} from 'n8n-workflow';
import { poll } from './poll';

export interface Owner {
	email: string;
	firstName: string;
	lastName: string;
	password: string;
}

export type NewWorkflow = Pick<IWorkflowBase, 'name' | 'nodes' | 'connections'> &
	Partial<Pick<IWorkflowBase, 'settings' | 'pinData'>>;

export interface SavedWorkflow extends NewWorkflow {
	id: string;
	versionId: string;
}

export interface PublicationStatus {
	status: 'in_progress' | 'not_published' | 'published' | 'partial' | 'failed';
	triggers: Array<{ nodeId: string; status: string; errorMessage: string | null }>;
}

export interface ExecutionSummary {
	id: string;
	workflowId: string;
	mode: string;
	status: string;
	startedAt: string;
	stoppedAt: string | null;
}

export interface Execution extends ExecutionSummary {
	data: IRunExecutionData;
}

const READY_TIMEOUT_MS = 60_000;

/** The items that a node returned on one of its outputs, over all its runs. */
export function outputItems(
	data: IRunExecutionData,
	nodeName: string,
	outputIndex = 0,
): IDataObject[] {
	const runs = data.resultData.runData[nodeName] ?? [];
	return runs.flatMap((run) => run.data?.main[outputIndex] ?? []).map(({ json }) => json);
}

export const finalStatuses = ['success', 'error', 'canceled', 'crashed'];

/** Speaks to n8n as its editor does, signed in as the owner. */
export class N8nRestClient {
	/** The session, as the value of a Cookie header. */
	cookie = '';

	constructor(private readonly url: string) {}

	/** Creates the owner, or signs in when this n8n already has one. */
	async setUpOwner(owner: Owner): Promise<void> {
		// Older versions say that they are ready before this interface is.
		await poll(
			async () => await this.get('/settings').then(Boolean, () => false),
			Boolean,
			'n8n to answer',
			READY_TIMEOUT_MS,
		);
		const settings = await this.get<{ userManagement: { showSetupOnFirstLoad?: boolean } }>(
			'/settings',
		);
		if (settings.userManagement.showSetupOnFirstLoad) {
			await this.post('/owner/setup', owner);
		} else {
			await this.signIn(owner.email, owner.password);
		}
	}

	async signIn(email: string, password: string): Promise<void> {
		await this.post('/login', { emailOrLdapLoginId: email, password });
	}

	/** Returns the new credential's id. */
	async createCredential(
		name: string,
		type: string,
		data: ICredentialDataDecryptedObject,
	): Promise<string> {
		return (await this.post<{ id: string }>('/credentials', { name, type, data })).id;
	}

	/** Points one of our credentials to a service. */
	async setCredential(id: string, { url: baseUrl, apiKey }: { url: string; apiKey: string }) {
		const data = { baseUrl, apiKey, authHeader: 'bearer' };
		const credential = { name: 'CRM', type: 'workspaceCrmApi', data };
		await this.request('PATCH', `/credentials/${id}`, credential);
	}

	async createWorkflow(workflow: NewWorkflow): Promise<SavedWorkflow> {
		return await this.post('/workflows', { settings: {}, ...workflow });
	}

	async getWorkflow(workflowId: string): Promise<SavedWorkflow> {
		return await this.get(`/workflows/${workflowId}`);
	}

	/** Publishes the saved version and resolves when its triggers are registered. */
	async publish(workflowId: string): Promise<void> {
		const { versionId } = await this.getWorkflow(workflowId);
		await this.post(`/workflows/${workflowId}/activate`, { versionId });
		const { status, triggers } = await this.settledPublication(workflowId, 'not_published');
		if (status === 'published') return;
		const reasons = triggers.flatMap(({ errorMessage }) => errorMessage ?? []);
		throw new Error(`Workflow ${workflowId} is ${status}: ${reasons.join('; ')}`);
	}

	/** Unpublishes and resolves when the triggers are removed. */
	async unpublish(workflowId: string): Promise<void> {
		await this.post(`/workflows/${workflowId}/deactivate`, {});
		await this.settledPublication(workflowId, 'published');
	}

	async publicationStatus(workflowId: string): Promise<PublicationStatus> {
		return await this.get(`/workflows/${workflowId}/publication-status`);
	}

	/** Runs a workflow from one of its triggers, as the editor's button does, to its end. */
	async runWorkflow(workflowId: string, triggerName: string): Promise<Execution> {
		return await this.waitForExecution(await this.startWorkflow(workflowId, triggerName));
	}

	/** The same, without waiting for its end. Returns the execution's id. */
	async startWorkflow(workflowId: string, triggerName: string, data?: ITaskData): Promise<string> {
		const path = `/workflows/${workflowId}/run`;
		const body = { triggerToStartFrom: { name: triggerName, data } };
		return (await this.post<{ executionId: string }>(path, body)).executionId;
	}

	/** The newest executions of a workflow, newest first: at most 100, as n8n returns no more. */
	async listExecutions(workflowId: string): Promise<ExecutionSummary[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const path = `/executions?filter=${filter}&limit=100`;
		return (await this.get<{ results: ExecutionSummary[] }>(path)).results;
	}

	async getExecution(executionId: string): Promise<Execution> {
		const execution = await this.get<ExecutionSummary & { data: string }>(
			`/executions/${executionId}`,
		);
		return { ...execution, data: parse(execution.data) as IRunExecutionData };
	}

	/** Resolves when the execution has ended, well or badly. */
	async waitForExecution(executionId: string, timeoutMs?: number): Promise<Execution> {
		return await this.pollExecution(
			executionId,
			({ status }) => finalStatuses.includes(status),
			timeoutMs,
		);
	}

	/** Resolves when `isSo` is true of an execution. */
	async pollExecution(
		executionId: string,
		isSo: (execution: Execution) => boolean,
		timeoutMs?: number,
	): Promise<Execution> {
		let last: Execution | undefined;
		await poll(
			// n8n 2.20 and older fail while an execution has stored nothing yet.
			async () => (last = await this.getExecution(executionId).catch(() => undefined)),
			(found) => found !== undefined && isSo(found),
			`execution ${executionId} to be so: ${isSo}`,
			timeoutMs,
		);
		return last as unknown as Execution;
	}

	/** The nodes that the editor offers. */
	async nodeTypes(): Promise<INodeTypeDescription[]> {
		const headers = { Cookie: this.cookie, Connection: 'close' };
		const response = await fetch(`${this.url}/types/nodes.json`, { headers });
		return (await response.json()) as INodeTypeDescription[];
	}

	async get<Answer>(path: string): Promise<Answer> {
		return await this.request('GET', path);
	}

	async post<Answer>(path: string, body: object): Promise<Answer> {
		return await this.request('POST', path, body);
	}

	/** Any other request to n8n's internal REST interface. Returns the `data` of the answer. */
	async request<Answer>(method: string, path: string, body?: object): Promise<Answer> {
		const response = await fetch(`${this.url}/rest${path}`, {
			method,
			// On a busy machine, n8n may close a connection in the moment that it is used again.
			headers: { 'Content-Type': 'application/json', Cookie: this.cookie, Connection: 'close' },
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		const text = await response.text();
		if (!response.ok) throw new Error(`${method} ${path} gave ${response.status}: ${text}`);
		const session = response.headers.getSetCookie().find((line) => line.startsWith('n8n-auth='));
		if (session) this.cookie = session.split(';')[0];
		return (JSON.parse(text) as { data: Answer }).data;
	}

	private async settledPublication(
		workflowId: string,
		previous: PublicationStatus['status'],
	): Promise<PublicationStatus> {
		// n8n 2.20 and older are done by now, and have no status to ask for.
		const atOnce = (error: Error): PublicationStatus => {
			if (!error.message.includes(' gave 404')) throw error;
			return { status: previous === 'published' ? 'not_published' : 'published', triggers: [] };
		};
		return await poll(
			async () => await this.publicationStatus(workflowId).catch(atOnce),
			({ status }) => status !== 'in_progress' && status !== previous,
			`the publication of workflow ${workflowId}`,
		);
	}
}
