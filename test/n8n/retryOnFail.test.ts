import type { INode, INodeParameters } from 'n8n-workflow';

import type { Contact } from '../sandbox';
import { addContacts } from '../workflow/support';
import { startTestbed, type Testbed } from './testbed';

/** What n8n's engine hands over in each try of a run, in n8n itself. */
let bed: Testbed;
let contacts: Contact[];

beforeAll(async () => {
	bed = await startTestbed();
}, 900_000);
beforeEach(() => {
	bed.sandbox.reset();
	contacts = addContacts(bed.sandbox, 3);
});
afterAll(async () => await bed?.close());

function node(name: string, type: string, parameters: INodeParameters = {}): INode {
	const id = name.toLowerCase();
	return { id, name, type, typeVersion: 1, position: [0, 0], parameters };
}

const send: INode = {
	...node('CRM', 'n8n-nodes-workspace-crm.workspaceCrm', {
		resource: 'message',
		operation: 'sendTemplate',
		contactId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
		template: { __rl: true, mode: 'name', value: 'welcome' },
		variables: { values: [{ name: 'code', value: '={{ $now.toMillis() }} {{ Math.random() }}' }] },
	}),
	credentials: { workspaceCrmApi: { id: 'crm', name: 'CRM' } },
	retryOnFail: true,
	waitBetweenTries: 10,
};

/** Runs nodes one after the other, for the three contacts, and gives how the execution ended. */
async function run(nodes: INode[], connections: object): Promise<string> {
	const { rest } = bed.n8n;
	const start = node('Start', 'n8n-nodes-base.manualTrigger');
	const { id } = await rest.createWorkflow({
		name: 'Retry On Fail',
		nodes: [start, ...nodes],
		connections: connections as never,
		settings: { executionOrder: 'v1' },
		pinData: { Start: contacts.map((contact) => ({ json: { id: contact.id } })) },
	});
	return (await rest.runWorkflow(id, 'Start')).status;
}

const to = (name: string) => [{ node: name, type: 'main', index: 0 }];
const reached = () => bed.sandbox.store.sentMessages.map(({ contact_id }) => contact_id);
const everyone = () => contacts.map(({ id }) => id);

test('sends each message once, though its expressions give other values in each try', async () => {
	bed.sandbox.fail({ skip: 1, times: 2, kind: { status: 402 } });
	expect(await run([send], { Start: { main: [to('CRM')] } })).toBe('success');
	expect(reached()).toEqual(everyone());
	expect(bed.sandbox.requests).toHaveLength(5);
});

test('in a loop sends to each of its items', async () => {
	bed.sandbox.fail({ skip: 1, kind: { status: 402 } });
	const loop = { ...node('Loop', 'n8n-nodes-base.splitInBatches'), typeVersion: 3 };
	const connections = {
		Start: { main: [to('Loop')] },
		Loop: { main: [[], to('CRM')] },
		CRM: { main: [to('Loop')] },
	};
	expect(await run([loop, send], connections)).toBe('success');
	expect(reached()).toEqual(everyone());
	expect(bed.sandbox.requests).toHaveLength(4);
});

test('in a sub-workflow sends as often as it is called', async () => {
	bed.sandbox.fail({ skip: 1, kind: { status: 402 } });
	const trigger = {
		...node('When Called', 'n8n-nodes-base.executeWorkflowTrigger', { inputSource: 'passthrough' }),
		typeVersion: 1.1,
	};
	const sub = await bed.n8n.rest.createWorkflow({
		name: 'Sub-workflow',
		nodes: [trigger, send],
		connections: { 'When Called': { main: [to('CRM')] } } as never,
		settings: { executionOrder: 'v1' },
	});
	await bed.n8n.rest.publish(sub.id);
	const call = {
		...node('Call', 'n8n-nodes-base.executeWorkflow', {
			workflowId: { __rl: true, mode: 'id', value: sub.id },
			mode: 'each',
			options: {},
		}),
		typeVersion: 1.2,
	};
	expect(await run([call], { Start: { main: [to('Call')] } })).toBe('success');
	expect(reached()).toEqual(everyone());
	expect(bed.sandbox.requests).toHaveLength(4);
});
