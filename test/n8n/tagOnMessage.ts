import type { Sandbox } from '../sandbox';
import type { N8nRestClient } from './n8nRestClient';
import { poll } from './poll';

/** What the example `tag-on-message.json` did with one message. */
export interface TagOnMessage {
	executionId: string;
	status: string;
	/** From the event in the CRM to the start of the execution. */
	eventToStartMs: number;
	/** How many executions the message started; one, if all is well. */
	executions: number;
	/** The tags that the contact has afterwards. */
	tags: string[];
	/** Where the event was sent to. */
	url: string;
}

const workflowId = 'tagOnMessageDemo';

/** Publishes the example in a running n8n, and has a new contact write a message in the sandbox. */
export async function runTagOnMessage(
	rest: N8nRestClient,
	sandbox: Sandbox,
): Promise<TagOnMessage> {
	await rest.publish(workflowId);
	const [{ url }] = [...sandbox.store.subscriptions.values()];
	const phone = '+447911123456';
	const emittedMs = Date.now();
	sandbox.emit.inboundMessage({ phone }, 'Hello, do you have a table for two tonight?');

	const [started] = await poll(
		async () => await rest.listExecutions(workflowId),
		({ length }) => length > 0,
		'the message to start an execution',
	);
	const { status, startedAt } = await rest.waitForExecution(started.id);
	await sandbox.settled();
	const contact = [...sandbox.store.contacts.values()].find((each) => each.phone === phone);
	return {
		executionId: started.id,
		status,
		eventToStartMs: Date.parse(startedAt) - emittedMs,
		executions: (await rest.listExecutions(workflowId)).length,
		tags: [...(contact?.tags ?? [])],
		url,
	};
}

/** What differs from what the example should do; empty when all is well. */
export function findTagDeviations({ status, executions, tags }: TagOnMessage): string[] {
	const deviations: string[] = [];
	if (status !== 'success') deviations.push(`the execution ended with '${status}'`);
	if (executions !== 1) deviations.push(`${executions} executions for one message`);
	if (!tags.includes('wrote to us')) deviations.push('the contact did not get its tag');
	return deviations;
}
