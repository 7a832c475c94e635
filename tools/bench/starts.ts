import { randomUUID } from 'node:crypto';

import type { NewWorkflow } from '../n8n/n8nRestClient';
import { PUBLIC_URL, type Testbed } from '../n8n/testbed';
import { node, triggerWorkflow, workflowOf } from '../n8n/workflows';
import type { Job } from './sender';

/** A published workflow that deliveries start. */
export interface Start {
	workflowId: string;
	job: Pick<Job, 'url' | 'headers' | 'secret' | 'body'>;
}

/** Publishes two workflows of one node each: with our trigger, and with n8n's Webhook node. */
export async function publishBoth(bed: Testbed): Promise<{ ours: Start; webhook: Start }> {
	const { url: origin } = bed.n8n;
	const parameters = { events: ['message.received'], options: { onlyNewContacts: false } };
	const ours = await publish(bed, triggerWorkflow(parameters));
	const [{ url, secret }] = [...bed.sandbox.store.subscriptions.values()];
	const job = { ...(await deliveryTemplate(bed)), secret };
	const path = randomUUID();
	const webhook = await publish(bed, webhookWorkflow(path));
	return {
		ours: { workflowId: ours, job: { ...job, url: url.replace(PUBLIC_URL, origin) } },
		webhook: { workflowId: webhook, job: { ...job, url: `${origin}/webhook/${path}` } },
	};
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
function webhookWorkflow(path: string): NewWorkflow {
	const parameters = { httpMethod: 'POST', path, options: {} };
	const webhook = node('Webhook', 'n8n-nodes-base.webhook', parameters, 2.1);
	return workflowOf([{ ...webhook, webhookId: path }]);
}
