import { randomUUID } from 'node:crypto';

import type { NewWorkflow } from '../n8n/n8nRestClient';
import { PUBLIC_URL, triggerWorkflow, type Testbed } from '../n8n/testbed';
import type { Job } from './sender/job';

/** A published workflow that deliveries start. */
export interface Start {
	name: string;
	workflowId: string;
	job: Pick<Job, 'url' | 'headers' | 'secret' | 'body'>;
}

/** The Webhook node's options, by what is said of it. */
const webhookOptions = {
	'Webhook node': {},
	// It gets what n8n gives every other trigger: an engine for expressions before it is asked.
	'Webhook node with an expression': { responseData: '={{ "started" }}' },
};

export type WebhookStart = keyof typeof webhookOptions;

/** Publishes workflows of one node each: with our trigger, and with n8n's Webhook node. */
export async function publishAll(bed: Testbed, others: WebhookStart[]): Promise<Start[]> {
	const { url: origin } = bed.n8n;
	const ours = await publish(
		bed,
		triggerWorkflow({ events: ['message.received'], options: { onlyNewContacts: false } }),
	);
	const [{ url, secret }] = [...bed.sandbox.store.subscriptions.values()];
	const job = { ...(await deliveryTemplate(bed)), secret };
	const own = { ...job, url: url.replace(PUBLIC_URL, origin) };
	const starts: Start[] = [{ name: 'Workspace CRM Trigger', workflowId: ours, job: own }];
	for (const name of others) {
		const path = randomUUID();
		const workflowId = await publish(bed, webhookWorkflow(path, webhookOptions[name]));
		starts.push({ name, workflowId, job: { ...job, url: `${origin}/webhook/${path}` } });
	}
	return starts;
}

async function publish({ n8n }: Testbed, workflow: NewWorkflow): Promise<string> {
	const { id } = await n8n.rest.createWorkflow(workflow);
	await n8n.rest.publish(id);
	return id;
}

/** A delivery as the service makes it. */
async function deliveryTemplate({ sandbox }: Testbed): Promise<Pick<Job, 'headers' | 'body'>> {
	sandbox.emit.inboundMessage({ phone: '+4915123456789' }, 'Hello, is anybody there?');
	await sandbox.settled();
	const [{ headers, body }] = sandbox.deliveries;
	return { headers, body };
}

/** It answers at once, as our trigger does, and checks nothing. */
function webhookWorkflow(path: string, options: Record<string, string>): NewWorkflow {
	const parameters = { httpMethod: 'POST', path, options };
	return {
		name: 'Webhook',
		nodes: [
			{
				id: 'webhook',
				name: 'Webhook',
				type: 'n8n-nodes-base.webhook',
				typeVersion: 2.1,
				position: [0, 0],
				webhookId: path,
				parameters,
			},
		],
		connections: {},
		settings: { executionOrder: 'v1' },
	};
}
