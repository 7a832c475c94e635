import type { Table } from '../bench/output/table';
import { poll } from '../n8n/poll';
import { delay } from '../support/platform';
import type { Cluster } from './cluster';
import { emitEvent, executionsByEvent, publishTrigger } from './events';

interface Moment {
	name: string;
	subscriptions: number;
	/** Whether they are the same ones that publishing made. */
	isSame: boolean;
	/** Executions that two events started, one at each processor. */
	executions: number;
}

/** What happens to a published trigger's subscription when processes come and go. */
export async function measureSubscriptions(cluster: Cluster): Promise<Table> {
	const id = await publishTrigger(cluster);
	const made = subscriptionsOf(cluster);
	let counted = 0;
	const moments: Moment[] = [];
	const sendTwo = async () => {
		for (let count = 0; count < 2; count += 1) {
			emitEvent(cluster);
			await cluster.sandbox.settled();
		}
	};
	const look = async (name: string) => {
		const total = [...(await executionsByEvent(cluster.main.rest, id)).values()];
		const executions = total.reduce((sum, count) => sum + count, 0);
		const now = subscriptionsOf(cluster);
		const isSame = now.join() === made.join();
		moments.push({ name, subscriptions: now.length, isSame, executions: executions - counted });
		counted = executions;
	};

	await sendTwo();
	await look('After publishing');
	await cluster.killMain();
	await sendTwo();
	await cluster.startMain();
	await look('While the main process was down');
	await poll(
		async () => await cluster.main.rest.publicationStatus(id),
		({ status }) => status === 'published',
		'the workflow to be published again',
	);
	await sendTwo();
	await look('After it was killed and started again');
	await cluster.main.rest.unpublish(id);
	// The main process deletes it some seconds later.
	await delay(25_000);
	const left = subscriptionsOf(cluster).length;
	cluster.sandbox.reset();
	cluster.sandbox.setLimiter({ kind: 'off' });
	return toTable(moments, left);
}

const subscriptionsOf = ({ sandbox }: Cluster) => [...sandbox.store.subscriptions.keys()];

function toTable(moments: Moment[], left: number): Table {
	const isMet = moments.every(({ isSame, executions }) => isSame && executions === 2);
	return {
		title: 'Subscriptions when processes come and go',
		how: 'At each moment, two events are sent, one to each webhook processor.',
		head: ['', 'Subscriptions', 'The same as before', 'Executions of two events'],
		rows: [
			...moments.map(({ name, subscriptions, isSame, executions }) => [
				name,
				String(subscriptions),
				isSame ? 'yes' : 'no',
				String(executions),
			]),
			['After unpublishing', String(left), '', ''],
		],
		requirements: [
			{
				text: 'the subscription stays, and each event starts one execution',
				measured: `${moments.filter(({ isSame, executions }) => isSame && executions === 2).length} of ${moments.length} moments`,
				isMet,
			},
			{ text: 'unpublishing leaves no subscription', measured: String(left), isMet: left === 0 },
		],
	};
}
