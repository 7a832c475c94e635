import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { delay } from '../../tools/support/platform';
import { outputItems } from '../../tools/n8n/n8nRestClient';
import { eventually } from '../../tools/n8n/testbed';
import { triggerWorkflow } from '../../tools/n8n/workflows';
import { changeNode } from './exampleRuns';
import { usePublishing, useTestbed } from './useTestbed';

/** A published trigger is changed or unpublished in a real n8n: every event starts the workflow once. */
const bed = useTestbed();
const publishWorkflow = usePublishing(bed);

const publish = async () =>
	await publishWorkflow(triggerWorkflow({ events: ['message.received'] }));
const subscriptions = () => [...bed.sandbox.store.subscriptions.values()];

/** Changes the trigger and publishes it. Returns the reason if n8n cannot. */
async function change(id: string, parameters: INodeParameters): Promise<string> {
	await changeNode(bed, id, 'Trigger', (node) => (node.parameters = parameters));
	const { versionId } = await bed.n8n.rest.getWorkflow(id);
	await bed.n8n.rest.post(`/workflows/${id}/activate`, { versionId });
	await delay(1_000);
	const { triggers } = await eventually(
		async () => await bed.n8n.rest.publicationStatus(id),
		({ status }) => status !== 'in_progress',
	);
	return triggers.flatMap(({ errorMessage }) => errorMessage ?? []).join();
}

/** Sends events, this far apart; returns their IDs. */
async function send(count: number, apartMs: number): Promise<string[]> {
	const ids: string[] = [];
	for (let index = 0; index < count; index += 1) {
		ids.push(bed.sandbox.emit.inboundMessage({ phone: '+4915123456789' }, `${index}`).id);
		await delay(apartMs);
	}
	return ids;
}

/** Waits for the service's own next tries, and expects that each event started the workflow once. */
async function expectEachOnce(id: string, sent: string[]): Promise<void> {
	await bed.sandbox.settled({ includeRetries: true });
	await delay(2_000);
	const { rest } = bed.n8n;
	const filter = encodeURIComponent(JSON.stringify({ workflowId: id }));
	const { count } = await rest.get<{ count: number }>(`/executions?filter=${filter}&limit=1`);
	const all = await rest.listExecutions(id);
	const ended = await Promise.all(all.map(async (each) => await rest.waitForExecution(each.id)));
	const items = ended.flatMap(({ data }): IDataObject[] => outputItems(data, 'Trigger'));
	const started = items.map(({ event_id }) => String(event_id)).sort();
	expect(started).toEqual([...sent].sort());
	expect(count).toBe(sent.length);
}

/** Like the tests that kill n8n, these run only with `npm run test:n8n`. */
describe('takes minutes, like the tests that kill n8n:', () => {
	test('100 events while events and filters are changed five times: each starts the workflow once', async () => {
		const id = await publish();
		// So that some events are under way while the subscription is replaced.
		bed.sandbox.setLatency(400);
		const sending = send(100, 300);
		for (const [index, other] of ['', 'tag.added', 'tag.added', 'form.submitted', ''].entries()) {
			await delay(5_000);
			const events = ['message.received', other].filter(Boolean);
			expect(await change(id, { events, options: { maxAge: 30 + index } })).toBe('');
		}
		const sent = await sending;
		await expectEachOnce(id, sent);
		await eventually(subscriptions, ({ length }) => length === 1);
	}, 600_000);

	test.each([1, 5])(
		'events while the service cannot create subscriptions for %i minutes: the user is told, and none is lost',
		async (minutes) => {
			const id = await publish();
			const match = { method: 'POST', path: /subscriptions/ };
			bed.sandbox.fail({ match, times: Infinity, kind: { status: 503 } });
			const sending = send(minutes * 12, 5_000);
			const events = ['message.received', 'tag.added'];
			expect(await change(id, { events })).toMatch(
				/^This trigger receives no events now: publish again\. /,
			);
			const sent = await sending;
			bed.sandbox.clearFaults();
			expect(await change(id, { events })).toBe('');
			await expectEachOnce(id, sent);
			// The old one stays until the last try that is due.
			await delay(minutes * 60_000);
			await eventually(subscriptions, ({ length }) => length === 1);
		},
		1_200_000,
	);

	test.each(['kill', 'stop'] as const)(
		'n8n ends (%s) before it has deleted a subscription: publishing again leaves one',
		async (how) => {
			const id = await publish();
			const [first] = subscriptions();
			await bed.n8n.rest.unpublish(id);
			await bed.restart(how);
			await delay(25_000);
			expect(subscriptions()).toEqual([first]);
			await bed.n8n.rest.publish(id);
			expect(subscriptions()).toEqual([expect.not.objectContaining({ id: first.id })]);

			// While the old one is still there beside the new one.
			await change(id, { events: ['message.received', 'tag.added'] });
			expect(subscriptions()).toHaveLength(2);
			await bed.restart(how);
			await change(id, { events: ['message.received', 'form.submitted'] });
			await eventually(subscriptions, ({ length }) => length === 2);
			await delay(125_000);
			expect(subscriptions()).toMatchObject([{ events: ['message.received', 'form.submitted'] }]);
			const sent = await send(1, 100);
			await expectEachOnce(id, sent);
		},
		600_000,
	);
});
