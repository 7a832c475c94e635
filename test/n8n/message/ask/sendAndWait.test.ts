import type { IConnections, IDataObject, INode } from 'n8n-workflow';

import { searchSecrets } from '../../../faults/stored';
import { signatureOf, type Contact } from '../../../../tools/sandbox';
import { addContacts } from '../../../workflow/support';
import { outputItems, type NewWorkflow } from '../../../../tools/n8n/n8nRestClient';
import { deliver, eventually, startTestbed, type Testbed } from '../../../../tools/n8n/testbed';
import { asking, READING_MS, untilStatus, waitSubscriptions } from '../../../../tools/n8n/waits';
import { linkTo, manualWorkflow, node, workflowOf } from '../../../../tools/n8n/workflows';
import { delay } from '../../../../tools/support/platform';

/** Send Template and Wait for Response in a real n8n, with the service's deliveries. */
let bed: Testbed;
let contacts: Contact[];

/** What n8n must neither store nor log. */
const secrets = new Set<string>();
const logs: string[] = [];

/** A wait that nobody answers; its limit passes while the other tests run. */
let silent: { contact: Contact; execution: string };

beforeAll(async () => {
	bed = await startTestbed({ env: { N8N_LOG_LEVEL: 'debug' } });
	const [contact] = addContacts(bed.sandbox, 1);
	const twoMinutes = { resumeAmount: 2, resumeUnit: 'minutes' };
	silent = { contact, execution: await ask(contact, asking({}, twoMinutes)) };
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

async function start(workflow: NewWorkflow): Promise<string> {
	const { id } = await bed.n8n.rest.createWorkflow(workflow);
	return await bed.n8n.rest.startWorkflow(id, 'Start');
}

/** Asks a contact in a workflow of its own, with one more node after it; resolves once it waits. */
async function ask(contact: Contact, asker: INode = asking()): Promise<string> {
	const nodes = [asker, node('After', 'n8n-nodes-base.noOp')];
	const executionId = await start(
		manualWorkflow(nodes, [{ contactId: contact.id, approved: true }]),
	);
	await untilStatus(bed, executionId, 'waiting');
	return executionId;
}

/** The items that the node after the wait got. */
async function outcome(executionId: string): Promise<IDataObject[]> {
	return outputItems((await untilStatus(bed, executionId, 'success')).data, 'After');
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

/** Nodes in front of a question that gets one item for Anna, and another for somebody else. */
function frontOf(kind: string, anna: string): { nodes: INode[]; connections: IConnections } {
	const conditions = { string: [{ value1: '={{ $json.contactId }}', value2: anna }] };
	const rules = ['equal', 'notEqual'].map((operation, output) => ({
		...{ operation, output, value2: anna },
	}));
	const both = (name: string) => ({ main: [linkTo(name).main[0], linkTo(name).main[0]] });
	if (kind === 'an IF') {
		const nodes = [node('IF', 'n8n-nodes-base.if', { conditions })];
		return { nodes, connections: { IF: both('Ask') } };
	}
	if (kind === 'a Switch') {
		const parameters = { dataType: 'string', value1: '={{ $json.contactId }}', rules: { rules } };
		const nodes = [node('Switch', 'n8n-nodes-base.switch', parameters)];
		return { nodes, connections: { Switch: both('Ask') } };
	}
	const nodes = [
		node('IF', 'n8n-nodes-base.if', { conditions }),
		node('Merge', 'n8n-nodes-base.merge', {}, 3),
		node('Loop', 'n8n-nodes-base.splitInBatches', {}, 3),
	];
	const toMerge = [0, 1].map((index) => [{ node: 'Merge', type: 'main' as const, index }]);
	return {
		nodes,
		connections: {
			IF: { main: toMerge },
			Merge: linkTo('Loop'),
			Loop: { main: [[], ...linkTo('Ask').main] },
		},
	};
}

describe('a reply', () => {
	test('continues the workflow once, and its subscription is deleted', async () => {
		const [anna, ben] = contacts;
		const execution = await ask(anna);
		expect(sentTo()).toEqual([anna.id]);
		expect(subscriptions()).toHaveLength(1);
		expect(await write(ben, 'yes')).toEqual([200]);
		expect((await bed.n8n.rest.getExecution(execution)).status).toBe('waiting');
		expect(await write(anna, ' Yes! ')).toEqual([200]);
		const output = await outcome(execution);
		expect(output).toMatchObject([{ ...reply(anna, ' Yes! '), approved: true }]);
		await gone();
		// A delivery that arrives too late is answered, so that the service does not try again.
		expect(await bed.sandbox.redeliver(bed.sandbox.deliveries[1].deliveryId)).toBe(200);
	});

	test('must reach the signed URL and pass our checks, whatever n8n lets through', async () => {
		const [anna, ben] = contacts;
		const execution = await ask(anna);
		const [{ url, secret }] = subscriptions();
		const { resumeToken } = (await bed.n8n.rest.getExecution(execution)).data as unknown as {
			resumeToken: string;
		};
		const message = { wa_message_id: 'm', type: 'text', text: 'yes', is_new_contact: false };
		const event = (contact: Contact) =>
			JSON.stringify({
				id: 'e',
				event: 'message.received',
				created_at: new Date().toISOString(),
				data: { contact, message },
			});
		const post = async (address: string, body: string, signed = body) => {
			const signature = { 'x-service-signature': signatureOf(signed, secret) };
			return await deliver(bed, { url: address, secret }, body, signature);
		};
		const base = url.split('?')[0];
		// n8n accepts anyone who knows the execution's token, with any parameters.
		const byToken = `${base.slice(0, base.lastIndexOf('/'))}?signature=${resumeToken}%2Fask`;
		const statuses = [
			await post(url, event(anna), 'other'),
			await post(base, event(anna)),
			await post(`${url}&more=1`, event(anna)),
			await post(url, 'no JSON'),
			await post(url, '[]'),
			await post(byToken, event(anna), 'other'),
			await post(`${byToken}&crm_contact=${ben.id}`, event(ben)),
		];
		expect(statuses).toEqual([401, 401, 401, 422, 400, 401, 200]);
		expect((await bed.n8n.rest.getExecution(execution)).status).toBe('waiting');
		await write(anna, 'no');
		expect(await outcome(execution)).toMatchObject([{ approved: false }]);
	});

	test('continues the workflow once, even if three arrive at the same time', async () => {
		const [anna] = contacts;
		const execution = await ask(anna);
		collectSecrets();
		for (const text of ['a', 'b', 'c']) bed.sandbox.emit.inboundMessage(anna.id, text);
		await bed.sandbox.settled();
		const output = await outcome(execution);
		expect(output).toHaveLength(1);
		await gone();
	});

	test('that arrives before n8n has saved the wait is refused, and counts when it is delivered again', async () => {
		const [anna] = contacts;
		const arrive = async (text: string, laterMs: number) => {
			const message = { wa_message_id: text, type: 'text', text, is_new_contact: false };
			const created_at = new Date(Date.now() + laterMs).toISOString();
			const event = { id: text, event: 'message.received', created_at };
			const body = JSON.stringify({ ...event, data: { contact: anna, message } });
			const [subscription] = subscriptions();
			return { body, subscription, status: await deliver(bed, subscription, body) };
		};
		const arrived: Array<Awaited<ReturnType<typeof arrive>>> = [];
		bed.sandbox.fail({
			match: { method: 'POST', path: /messages/ },
			kind: {
				// Before the answer to the question, n8n cannot save the wait.
				meanwhile: async () => {
					for (const laterMs of [-2_000, 2_000]) arrived.push(await arrive(`${laterMs}`, laterMs));
				},
			},
		});
		const execution = await ask(anna);
		// The status depends on how much of the run n8n has stored.
		for (const { status } of arrived) expect([409, 500]).toContain(status);
		for (const { body, subscription } of arrived) {
			expect(await deliver(bed, subscription, body)).toBe(200);
		}
		// Not what was written before the question.
		expect(await outcome(execution)).toMatchObject([reply(anna, '2000')]);
	});

	test('reaches a node whose name needs escaping', async () => {
		const [anna] = contacts;
		const name = 'A "quoted" name: it\'s {{ $json }} }}, back\\slash, `tick` 🎉 ü';
		const execution = await ask(anna, asking({ name }));
		await write(anna, 'ok');
		expect(await outcome(execution)).toMatchObject([{ approved: true }]);
	});

	test('answers one item of a loop after the other', async () => {
		const three = contacts.slice(0, 3);
		const loop = node('Loop', 'n8n-nodes-base.splitInBatches', {}, 3);
		const items = three.map(({ id }) => ({ contactId: id }));
		const workflow = manualWorkflow([loop, asking()], items);
		workflow.connections.Loop = { main: [[], ...linkTo('Ask').main] };
		workflow.connections.Ask = linkTo('Loop');
		const execution = await start(workflow);
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

	test.each(['an IF', 'a Switch', 'a Merge'])(
		'of one contact is not that of another, behind %s',
		async (kind) => {
			const [anna, ben] = contacts;
			const claim = { approved: true, replied: true };
			const items = [anna, ben].map(({ id }) => ({ contactId: id, name: id, ...claim }));
			const fronts = frontOf(kind, anna.id);
			const after = node('After', 'n8n-nodes-base.noOp');
			const workflow = manualWorkflow([...fronts.nodes, asking(), after], items);
			const loop = kind === 'a Merge' ? linkTo('Loop').main[0] : [];
			const afterAsk = { main: [[...linkTo('After').main[0], ...loop]] };
			Object.assign(workflow.connections, fronts.connections, { Ask: afterAsk });
			const execution = await start(workflow);
			for (const [index, words] of ['no', 'yes'].entries()) {
				await eventually(sentTo, (all) => all.length > index);
				await untilStatus(bed, execution, 'waiting');
				const asked = contacts.find(({ id }) => id === sentTo()[index]);
				expect(await write(asked ?? anna, words)).toContain(200);
			}
			const { data } = await untilStatus(bed, execution, 'success');
			const runs = data.resultData.runData.After.flatMap((run) => run.data?.main[0] ?? []);
			const replies = runs.map(({ json }) => `${String(json.contact_id)} ${String(json.approved)}`);
			expect(replies.sort()).toEqual([`${sentTo()[0]} false`, `${sentTo()[1]} true`].sort());
			await gone();
		},
		120_000,
	);

	test('answers its own wait in sub-workflows that run side by side and are unpublished meanwhile', async () => {
		const three = contacts.slice(0, 3);
		const type = 'n8n-nodes-base.executeWorkflowTrigger';
		const called = node('Called', type, { inputSource: 'passthrough' }, 1.1);
		const sub = await bed.n8n.rest.createWorkflow(
			workflowOf([called, asking()], { Called: linkTo('Ask') }),
		);
		await bed.n8n.rest.publish(sub.id);
		const parameters = {
			workflowId: { __rl: true, mode: 'id', value: sub.id },
			mode: 'each',
			options: { waitForSubWorkflow: false },
		};
		const call = node('Call', 'n8n-nodes-base.executeWorkflow', parameters, 1.2);
		const items = three.map(({ id }) => ({ contactId: id }));
		await start(manualWorkflow([call], items));
		await eventually(sentTo, (all) => all.length === 3);
		await eventually(
			async () => await bed.n8n.rest.listExecutions(sub.id),
			(all) => all.filter(({ status }) => status === 'waiting').length === 3,
		);
		await bed.n8n.rest.unpublish(sub.id);
		await delay(READING_MS);
		for (const contact of three) await write(contact, 'ok');
		await eventually(
			async () => await bed.n8n.rest.listExecutions(sub.id),
			(all) => all.filter(({ status }) => status === 'success').length === 3,
		);
		await gone();
	}, 120_000);
});

test('a second test in the editor replaces the subscription of the first, which was stopped', async () => {
	const [anna] = contacts;
	const stopped = await ask(anna);
	await bed.n8n.rest.post(`/executions/${stopped}/stop`, {});
	expect(subscriptions()).toHaveLength(1);
	const execution = await ask(anna);
	expect(subscriptions()).toHaveLength(1);
	await write(anna, 'ok');
	expect(await outcome(execution)).toMatchObject([{ approved: true }]);
});

test('a wait ends at its time limit, and a reply counts, also after a crash of n8n', async () => {
	const [anna, ben] = contacts;
	const asked = await ask(anna);
	await bed.n8n.rest.waitForExecution(silent.execution, 240_000);
	expect(await outcome(silent.execution)).toEqual(timedOut(silent.contact, { event: null }));
	const maxDateAndTime = new Date(Date.now() + 130_000).toISOString();
	const atTime = { limitType: 'atSpecifiedTime', maxDateAndTime, options: { simplify: false } };
	const limited = await ask(ben, asking({}, atTime));
	logs.push(bed.n8n.logs);
	// n8n runs again before the limit. Otherwise, n8n 2.41 may resume the execution while it starts, and mark it
	// as crashed although it continues and succeeds.
	await bed.restart('kill');
	await bed.n8n.rest.waitForExecution(limited, 240_000);
	expect(await outcome(limited)).toEqual(timedOut(ben, { data: null }));
	expect((await bed.n8n.rest.getExecution(asked)).status).toBe('waiting');
	expect(await write(anna, 'yes')).toContain(200);
	expect(await outcome(asked)).toMatchObject([{ approved: true }]);
}, 600_000);

test('n8n stores and logs no signing secret and no signature of a URL', async () => {
	logs.push(bed.n8n.logs);
	await bed.n8n.stop();
	const texts = Object.fromEntries(logs.map((log, index) => [`log ${index}`, log]));
	const search = searchSecrets(bed.userFolder, texts, [...secrets]);
	expect(search.secrets).toBeGreaterThan(20);
	expect(search.found).toEqual([]);
}, 60_000);
