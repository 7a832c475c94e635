import { randomUUID } from 'node:crypto';

import { startJsonServer } from '../n8n/jsonServer';
import type { NewWorkflow } from '../n8n/n8nRestClient';
import { PUBLIC_URL, type Testbed } from '../n8n/testbed';
import { node, triggerWorkflow, workflowOf } from '../n8n/workflows';
import type { Job } from './sender';

/** A published workflow that deliveries start. */
export interface Start {
	workflowId: string;
	job: Pick<Job, 'url' | 'headers' | 'secret' | 'signatureHeader' | 'body'>;
}

export type Starts = Record<'ours' | 'github' | 'webhook', Start>;

/** Publishes workflows of one node each: our trigger, n8n's GitHub Trigger, and its Webhook node. */
export async function publishAll(bed: Testbed): Promise<Starts> {
	const { url: origin } = bed.n8n;
	const parameters = { events: ['message.received'], options: { onlyNewContacts: false } };
	const ours = await publish(bed, triggerWorkflow(parameters));
	const [{ url, secret }] = [...bed.sandbox.store.subscriptions.values()];
	const template = { ...(await deliveryTemplate(bed)), signatureHeader: 'x-service-signature' };
	const job = { ...template, secret, url: url.replace(PUBLIC_URL, origin) };
	const path = randomUUID();
	const webhook = await publish(bed, webhookWorkflow(path));
	return {
		ours: { workflowId: ours, job },
		github: await publishGithub(bed, job),
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

/** It checks signatures as our trigger does, so it gets the same deliveries. */
async function publishGithub(bed: Testbed, job: Start['job']): Promise<Start> {
	const { rest, url: origin } = bed.n8n;
	const github = await startJsonServer(() => ({ status: 201, body: { id: 1, active: true } }));
	try {
		const type = 'githubApi';
		const data = { server: github.url, user: 'any', accessToken: 'any' };
		const id = await rest.createCredential('GitHub', type, data);
		const chosen = (value: string) => ({ __rl: true, mode: 'name', value });
		const trigger = node('GitHub', 'n8n-nodes-base.githubTrigger', {
			owner: chosen('any'),
			repository: chosen('any'),
			events: ['issues'],
			options: {},
		});
		const credentials = { [type]: { id, name: 'GitHub' } };
		const webhookId = randomUUID();
		const workflowId = await publish(bed, workflowOf([{ ...trigger, webhookId, credentials }]));
		const { url, secret } = github.requests[0].body.config as Record<'url' | 'secret', string>;
		const own = { url: url.replace(PUBLIC_URL, origin), secret };
		return { workflowId, job: { ...job, ...own, signatureHeader: 'x-hub-signature-256' } };
	} finally {
		await github.close();
	}
}
