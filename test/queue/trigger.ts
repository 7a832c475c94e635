import { triggerWorkflow } from '../n8n/workflows';
import type { Cluster } from './cluster';

/** Makes and publishes a workflow that starts with our trigger, and gives its id. */
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

/** Lets a contact write a message, which makes an event; gives the id of its delivery. */
export function emitEvent({ sandbox }: Cluster): string {
	sandbox.emit.inboundMessage({ phone: '+4915123456789' }, 'Hello');
	return sandbox.deliveries[sandbox.deliveries.length - 1].deliveryId;
}
