import type { Table } from '../bench/output/table';
import type { Choice } from './balancer';
import type { Cluster } from './cluster';
import { emitEvent, executionsByEvent, publishTrigger } from './events';

/** The order in which events and their repeats arrive. */
interface Scenario {
	name: string;
	/** Whether repeats reach the process that knows the event, so that each event must start the workflow once. */
	isCertain: boolean;
	/** How the proxy chooses the processor. Default: in turn. */
	choice?: Choice;
	act: (cluster: Cluster) => Promise<void>;
}

interface Outcome {
	name: string;
	isCertain: boolean;
	executions: number;
	/** Events that started the workflow more than once. */
	doubled: number;
	/** Events that did not start it. */
	lost: number;
	/** Deliveries that were not answered with 200. */
	refused: number;
}

const WAVE = 10;

const manyAtOnce: Scenario = {
	name: `100 events, each once more later, ${WAVE} at once`,
	isCertain: false,
	async act(cluster) {
		const { sandbox } = cluster;
		for (let count = 0; count < 100; count += WAVE) {
			for (let each = 0; each < WAVE; each += 1) emitEvent(cluster);
			await sandbox.settled();
		}
		const all = sandbox.deliveries.map(({ deliveryId }) => deliveryId);
		// One less, so that a repeat comes to the other processor.
		await sandbox.redeliver(all[0]);
		for (let start = 1; start < all.length; start += WAVE) {
			const wave = all.slice(start, start + WAVE);
			await Promise.all(wave.map(async (each) => await sandbox.redeliver(each)));
		}
	},
};

const twins: Scenario = {
	name: '100 events, each twice in the same moment',
	isCertain: false,
	async act(cluster) {
		for (let count = 0; count < 100; count += 1) {
			const delivery = emitEvent(cluster);
			await cluster.sandbox.redeliver(delivery);
			await cluster.sandbox.settled();
		}
	},
};

const byPath = (scenario: Scenario): Scenario => ({
	...scenario,
	name: `${scenario.name}; by path`,
	isCertain: true,
	choice: 'byPath',
});

const scenarios = [manyAtOnce, twins, byPath(manyAtOnce), byPath(twins)];

/** Events and their repeats, spread over both webhook processors. */
export async function measureRepeats(cluster: Cluster): Promise<Table> {
	const outcomes: Outcome[] = [];
	for (const scenario of scenarios) outcomes.push(await play(cluster, scenario));
	return toTable(outcomes);
}

async function play(cluster: Cluster, scenario: Scenario): Promise<Outcome> {
	const { name, isCertain, choice = 'inTurn', act } = scenario;
	const { main, sandbox, balancer } = cluster;
	balancer.choice = choice;
	const id = await publishTrigger(cluster);
	await act(cluster);
	await sandbox.settled();

	const counts = await executionsByEvent(main.rest, id);
	const events = new Set(sandbox.deliveries.map(({ eventId }) => eventId));
	const attempts = sandbox.deliveries.flatMap((delivery) => delivery.attempts);
	const outcome: Outcome = {
		name,
		isCertain,
		executions: [...counts.values()].reduce((sum, count) => sum + count, 0),
		doubled: [...counts.values()].filter((count) => count > 1).length,
		lost: [...events].filter((event) => !counts.has(event)).length,
		refused: attempts.filter(({ status }) => status !== 200).length,
	};
	balancer.choice = 'inTurn';
	await main.rest.unpublish(id);
	sandbox.reset();
	sandbox.setLimiter({ kind: 'off' });
	return outcome;
}

function toTable(outcomes: Outcome[]): Table {
	const certain = outcomes.filter(({ isCertain }) => isCertain);
	const sum = (list: Outcome[], name: 'lost' | 'doubled') =>
		list.reduce((total, outcome) => total + outcome[name], 0);
	return {
		title: 'Repeats at two webhook processors',
		how: 'The proxy alternates between the two processors, or chooses one by the path of the trigger. Each processor knows only its own deliveries.',
		head: ['Deliveries', 'Executions', 'Started twice', 'Lost', 'Not answered with 200'],
		rows: outcomes.map((outcome) => [
			outcome.name,
			String(outcome.executions),
			String(outcome.doubled),
			String(outcome.lost),
			String(outcome.refused),
		]),
		requirements: [
			{
				text: 'with one processor for each path, no repeat starts the workflow again',
				measured: `${sum(certain, 'doubled')} started twice`,
				isMet: sum(certain, 'doubled') === 0,
			},
			{
				text: 'no event is lost',
				measured: `${sum(outcomes, 'lost')} lost`,
				isMet: sum(outcomes, 'lost') === 0,
			},
		],
	};
}
