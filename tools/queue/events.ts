import type { ExecutionSummary, N8nRestClient } from '../n8n/n8nRestClient';
import { outputItems } from '../n8n/n8nRestClient';
import { triggerWorkflow } from '../n8n/workflows';
import { delay } from '../support/platform';
import type { Cluster } from './cluster';

const pageSize = 100;
const atOnce = 10;
/** An execution that should not come would come within this time. */
const quietMs = 2_000;

/** Makes and publishes a workflow that starts with our trigger, and returns its id. */
export async function publishTrigger({ main, credentialId }: Cluster): Promise<string> {
	const workflow = triggerWorkflow({
		events: ['message.received'],
		options: { onlyNewContacts: false },
	});
	workflow.nodes[0].credentials = { workspaceCrmApi: { id: credentialId, name: 'CRM' } };
	const { id } = await main.rest.createWorkflow(workflow);
	await main.rest.publish(id);
	return id;
}

/** Lets a contact write a message, which makes an event. Returns the id of its delivery. */
export function emitEvent({ sandbox }: Cluster): string {
	sandbox.emit.inboundMessage({ phone: '+4915123456789' }, 'Hello');
	return sandbox.deliveries[sandbox.deliveries.length - 1].deliveryId;
}

/** How many executions each event has started, once no more come. */
export async function executionsByEvent(
	rest: N8nRestClient,
	workflowId: string,
): Promise<Map<string, number>> {
	const executions = await settledExecutions(rest, workflowId);
	const counts = new Map<string, number>();
	for (let start = 0; start < executions.length; start += atOnce) {
		const wave = executions.slice(start, start + atOnce);
		const events = await Promise.all(wave.map(async ({ id }) => await eventOf(rest, id)));
		for (const event of events) counts.set(event, (counts.get(event) ?? 0) + 1);
	}
	return counts;
}

async function eventOf(rest: N8nRestClient, executionId: string): Promise<string> {
	const { data, status } = await rest.waitForExecution(executionId);
	const [{ event_id: event } = {}] = outputItems(data, 'Trigger');
	if (typeof event !== 'string') {
		throw new Error(`Execution ${executionId} (${status}) has no event: ${JSON.stringify(data)}`);
	}
	return event;
}

async function settledExecutions(
	rest: N8nRestClient,
	workflowId: string,
): Promise<ExecutionSummary[]> {
	let before = -1;
	for (;;) {
		const executions = await listAllExecutions(rest, workflowId);
		if (executions.length === before) return executions;
		before = executions.length;
		await delay(quietMs);
	}
}

/** All of a workflow's executions, page after page; each once, even if more come meanwhile. */
async function listAllExecutions(
	rest: N8nRestClient,
	workflowId: string,
): Promise<ExecutionSummary[]> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	const all = new Map<string, ExecutionSummary>();
	let cursor: string | null = null;
	do {
		const from: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
		const path = `/executions?filter=${filter}&limit=${pageSize}${from}`;
		const page: Page = await rest.get<Page>(path);
		for (const execution of page.results) all.set(execution.id, execution);
		cursor = page.nextCursor;
	} while (cursor);
	return [...all.values()];
}

interface Page {
	results: ExecutionSummary[];
	nextCursor: string | null;
}
