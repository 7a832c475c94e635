import type { IDataObject } from 'n8n-workflow';

import type { Contact } from '../sandbox';
import { signatureOf } from '../sandbox';
import { addContacts } from '../workflow/support';
import { fs } from '../support/platform';
import { searchSecrets } from '../faults/stored';
import { outputItems } from './executionData';
import { eventually, PUBLIC_URL, startTestbed, type Testbed } from './testbed';
import {
	ask,
	asking,
	inARow,
	node,
	outcome,
	startWorkflow,
	untilStatus,
	waitSubscriptions,
} from './waits';

/** Send Template and Wait for Response in a real n8n, with the service's deliveries. */
let bed: Testbed;
let contacts: Contact[];

/** All that must be nowhere in what n8n stores or logs. */
const secrets = new Set<string>();
const logs: string[] = [];

/** A wait that nobody answers; its limit passes while the other tests run. */
let silent: { contact: Contact; execution: string };

beforeAll(async () => {
	bed = await startTestbed({ env: { N8N_LOG_LEVEL: 'debug' } });
	const [contact] = addContacts(bed.sandbox, 1);
	const minute = { resumeAmount: 1, resumeUnit: 'minutes' };
	silent = { contact, execution: await ask(bed, contact, asking({}, minute)) };
}, 900_000);
beforeEach(() => {
	bed.sandbox.reset();
	contacts = addContacts(bed.sandbox, 10);
});
afterEach(() => collectSecrets());
afterAll(async () => await bed?.close());

function collectSecrets(): void {
	for (const { secret } of waitSubscriptions(bed.sandbox)) if (secret !== 'x') secrets.add(secret);
	for (const { url } of bed.sandbox.deliveries) {
		const signature = new URL(url).searchParams.get('signature');
		if (signature) secrets.add(signature);
	}
}

const subscriptions = () => waitSubscriptions(bed.sandbox);
const sentTo = () => bed.sandbox.store.sentMessages.map(({ contact_id }) => contact_id);
const gone = async () => await eventually(subscriptions, (all) => all.length === 0);

/** The contact writes; resolves when the service has delivered it everywhere, or failed to. */
async function write(contact: Contact, text: string): Promise<Array<number | null>> {
	collectSecrets();
	const before = bed.sandbox.deliveries.length;
	bed.sandbox.emit.inboundMessage(contact.id, text);
	await bed.sandbox.settled();
	return bed.sandbox.deliveries.slice(before).map(({ attempts }) => attempts[0].status);
}

const timedOut = (contact: Contact, more: IDataObject) => [
	expect.objectContaining({
		replied: false,
		timed_out: true,
		approved: false,
		contact_id: contact.id,
		...more,
	}),
];

const reply = (contact: Contact, text: string) => ({
	replied: true,
	timed_out: false,
	contact_id: contact.id,
	event: 'message.received',
	contact: { id: contact.id },
	message: { text },
});

describe('a reply', () => {
	test('has the workflow go on, once, and its subscription is gone', async () => {
		const [anna, ben] = contacts;
		const execution = await ask(bed, anna);
		expect(sentTo()).toEqual([anna.id]);
		expect(subscriptions()).toHaveLength(1);
		expect(await write(ben, 'yes')).toEqual([200]);
		expect((await bed.n8n.rest.getExecution(execution)).status).toBe('waiting');
		expect(await write(anna, ' Yes! ')).toEqual([200]);
		const output = await outcome(bed, execution);
		expect(output).toMatchObject([{ ...reply(anna, ' Yes! '), approved: true }]);
		await gone();
		const requests = bed.sandbox.requests.map(({ method, path }) => `${method} ${path}`);
		expect(requests.slice(0, 4)).toEqual([
			'GET /v1/subscriptions',
			'POST /v1/subscriptions',
			'GET /v1/subscriptions',
			'POST /v1/messages/template',
		]);
		expect(requests).toHaveLength(5);
		// What comes too late is answered, so that the service does not try again.
		expect(await bed.sandbox.redeliver(bed.sandbox.deliveries[1].deliveryId)).toBe(200);
	});

	test('by a form counts where a form is awaited, and is no approval', async () => {
		const [anna] = contacts;
		const execution = await ask(bed, anna, asking({}, { options: { waitFor: 'form.submitted' } }));
		bed.sandbox.emit.submitForm(anna.id, 'flow_1', { approved: true, text: 'yes' });
		expect(await outcome(bed, execution)).toMatchObject([
			{ replied: true, approved: false, event: 'form.submitted', flow_id: 'flow_1' },
		]);
	});

	test('comes from whom it says: strangers and old news leave it waiting', async () => {
		const [anna, ben] = contacts;
		const execution = await ask(bed, anna);
		const [{ url, secret, created_at }] = subscriptions();
		const { resumeToken } = (await bed.n8n.rest.getExecution(execution)).data as unknown as {
			resumeToken: string;
		};
		const local = (address: string) => address.replace(PUBLIC_URL, bed.n8n.url);
		const message = { wa_message_id: 'm', type: 'text', text: 'yes', is_new_contact: false };
		const now = new Date().toISOString();
		const event = (contact: Contact, at = now) =>
			JSON.stringify({
				id: 'e',
				event: 'message.received',
				created_at: at,
				data: { contact, message },
			});
		const post = async (address: string, body: string, signature?: string) => {
			const headers = {
				'content-type': 'application/json',
				...(signature && { 'x-service-signature': signature }),
			};
			return (await fetch(local(address), { method: 'POST', headers, body })).status;
		};
		const signed = (body: string) => signatureOf(body, secret);
		const old = new Date(Date.parse(created_at) - 5_000).toISOString();
		const base = url.split('?')[0];
		const byToken = `${base.slice(0, base.lastIndexOf('/'))}?signature=${resumeToken}%2Fask`;
		const { data } = JSON.parse(event(anna)) as { data: object };
		const other = JSON.stringify({ id: 'e', event: 'contact.opted_out', data });
		const statuses = [
			await post(url, event(anna), signed('other')),
			await post(url, event(anna)),
			await post(base, event(anna), signed(event(anna))),
			await post(`${url}&more=1`, event(anna), signed(event(anna))),
			await post(url, 'no JSON', signed('no JSON')),
			await post(url, '[]', signed('[]')),
			await post(url, other, signed(other)),
			await post(url, event(ben), signed(event(ben))),
			await post(url, event(anna, old), signed(event(anna, old))),
			// n8n lets in whoever knows the execution's token, with any parameters.
			await post(byToken, event(anna), signed('other')),
			await post(`${byToken}&crm_contact=${ben.id}`, event(ben), signed(event(ben))),
		];
		expect(statuses).toEqual([401, 401, 401, 401, 422, 400, 200, 200, 200, 401, 200]);
		expect((await bed.n8n.rest.getExecution(execution)).status).toBe('waiting');
		await write(anna, 'no');
		expect(await outcome(bed, execution)).toMatchObject([{ approved: false }]);
	});

	test('three at once are one', async () => {
		const [anna] = contacts;
		const execution = await ask(bed, anna);
		collectSecrets();
		for (const text of ['a', 'b', 'c']) bed.sandbox.emit.inboundMessage(anna.id, text);
		await bed.sandbox.settled();
		const output = await outcome(bed, execution);
		expect(output).toHaveLength(1);
		await gone();
	});

	test('before n8n has saved that it waits comes again, and counts', async () => {
		const [anna] = contacts;
		bed.sandbox.fail({
			match: { method: 'POST', path: /messages/ },
			kind: {
				// Answered by n8n before the question is answered as sent, so before n8n can save.
				meanwhile: async () => {
					bed.sandbox.emit.inboundMessage(anna.id, 'at once');
					await bed.sandbox.settled();
				},
			},
		});
		const execution = await ask(bed, anna);
		const [delivery] = bed.sandbox.deliveries;
		// Which of the two n8n says hangs on how much of the run it has stored.
		expect([409, 500]).toContain(delivery.attempts[0].status);
		expect(await bed.sandbox.redeliver(delivery.deliveryId)).toBe(200);
		expect(await outcome(bed, execution)).toMatchObject([reply(anna, 'at once')]);
	});

	test('reaches a node whose name needs escaping', async () => {
		const [anna] = contacts;
		const name = 'A "quoted" name: it\'s {{ $json }} }}, back\\slash, `tick` 🎉 ü';
		const execution = await ask(bed, anna, asking({ name, id: 'n1' }));
		await write(anna, 'ok');
		expect(await outcome(bed, execution)).toMatchObject([{ approved: true }]);
	});

	test('in a loop, each item has its wait, one after the other', async () => {
		const three = contacts.slice(0, 3);
		const loop = { ...node('Loop', 'n8n-nodes-base.splitInBatches'), typeVersion: 3 };
		const workflow = inARow(
			[loop, asking()],
			three.map(({ id }) => ({ contactId: id })),
		);
		workflow.connections.Loop = { main: [[], [{ node: 'Ask', type: 'main', index: 0 }]] };
		workflow.connections.Ask = { main: [[{ node: 'Loop', type: 'main', index: 0 }]] };
		const execution = await startWorkflow(bed, workflow);
		for (const [index, contact] of three.entries()) {
			await eventually(sentTo, (all) => all.length > index);
			await untilStatus(bed, execution, 'waiting');
			expect(await write(contact, `answer ${index}`)).toContain(200);
		}
		const { data } = await untilStatus(bed, execution, 'success');
		expect(outputItems(data, 'Ask')).toMatchObject(
			three.map((contact, index) => reply(contact, `answer ${index}`)),
		);
		await gone();
	}, 120_000);

	test('in sub-workflows, waits are side by side, also once they are unpublished', async () => {
		const three = contacts.slice(0, 3);
		const called = {
			...node('Called', 'n8n-nodes-base.executeWorkflowTrigger', { inputSource: 'passthrough' }),
			typeVersion: 1.1,
		};
		const sub = await bed.n8n.rest.createWorkflow({
			name: 'Ask one',
			nodes: [called, asking()],
			connections: { Called: { main: [[{ node: 'Ask', type: 'main', index: 0 }]] } },
			settings: { executionOrder: 'v1' },
		});
		await bed.n8n.rest.publish(sub.id);
		const call = {
			...node('Call', 'n8n-nodes-base.executeWorkflow', {
				workflowId: { __rl: true, mode: 'id', value: sub.id },
				mode: 'each',
				options: { waitForSubWorkflow: false },
			}),
			typeVersion: 1.2,
		};
		const items = three.map(({ id }) => ({ contactId: id }));
		await startWorkflow(bed, inARow([call], items));
		await eventually(sentTo, (all) => all.length === 3);
		await eventually(
			async () => await bed.n8n.rest.listExecutions(sub.id),
			(all) => all.filter(({ status }) => status === 'waiting').length === 3,
		);
		await bed.n8n.rest.unpublish(sub.id);
		for (const contact of three) await write(contact, 'ok');
		await eventually(
			async () => await bed.n8n.rest.listExecutions(sub.id),
			(all) => all.filter(({ status }) => status === 'success').length === 3,
		);
		await gone();
	}, 120_000);
});

test('a test in the editor takes the place of the one before, which may have been stopped', async () => {
	const [anna] = contacts;
	const stopped = await ask(bed, anna);
	await bed.n8n.rest.post(`/executions/${stopped}/stop`, {});
	expect(subscriptions()).toHaveLength(1);
	const execution = await ask(bed, anna);
	expect(subscriptions()).toHaveLength(1);
	await write(anna, 'ok');
	expect(await outcome(bed, execution)).toMatchObject([{ approved: true }]);
});

test('without a reply it goes on at the limit, also after a crash of n8n; a reply still counts', async () => {
	const [anna, ben] = contacts;
	const asked = await ask(bed, anna);
	expect(await outcome(bed, silent.execution)).toEqual(timedOut(silent.contact, { event: null }));
	// n8n keeps shorter waits in its memory
	const maxDateAndTime = new Date(Date.now() + 70_000).toISOString();
	const atTime = { limitType: 'atSpecifiedTime', maxDateAndTime, options: { simplify: false } };
	const limited = await ask(bed, ben, asking({}, atTime));
	logs.push(bed.n8n.logs);
	// It is up again before the limit: the recovery of n8n 2.41 can call an execution crashed that it resumes
	// while it starts, although that goes on and succeeds.
	await bed.restart('kill');
	expect(await outcome(bed, limited)).toEqual(timedOut(ben, { data: null }));
	expect((await bed.n8n.rest.getExecution(asked)).status).toBe('waiting');
	expect(await write(anna, 'yes')).toContain(200);
	expect(await outcome(bed, asked)).toMatchObject([{ approved: true }]);
}, 400_000);

test('no signing secret and no signature of a URL is in what n8n has stored or logged', async () => {
	logs.push(bed.n8n.logs);
	await bed.n8n.stop();
	const texts = Object.fromEntries(logs.map((log, index) => [`log ${index}`, log]));
	const search = searchSecrets(bed.userFolder, texts, [...secrets]);
	expect(search.secrets).toBeGreaterThan(20);
	expect(fs.existsSync(bed.userFolder)).toBe(true);
	expect(search.found).toEqual([]);
}, 60_000);
