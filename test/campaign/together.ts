import { count } from '../bench/output/numbers';
import type { Requirement, Table } from '../bench/output/table';
import { campaignNode, campaignWorkflow, marksOf, standing } from '../n8n/campaigns';
import { startTestbed, type Testbed } from '../n8n/testbed';
import { promise, unless } from './promise';
import { endedRun, reported, startAnew } from './runs';

const CONTACTS = 72;
/** Long enough for each run to meet the other at many contacts. */
const LATENCY_MS = 100;
/** Both have looked before either begins to send. */
const LOOK_MS = 3_000;

/** Two runs of one campaign at the same time. */
export async function measureTogether(bed: Testbed): Promise<Table> {
	const other = await startTestbed();
	try {
		const inOne = await runTwice('Two executions in one n8n', bed, bed);
		const inTwo = await runTwice('Two n8n processes', bed, other);
		return {
			title: 'Two runs at the same time',
			how: `Two executions send one campaign to the same ${inOne.input} contacts at the same time, in the same order; ${inOne.confirmed} have confirmed. Both look before either begins to send, so neither knows of the other. Two n8n processes have the same API key, and nothing else in common.`,
			head: [
				'Where',
				'Messages of the first',
				'Of the second',
				'Contacts where both met',
				'Messages of one more run',
				'Contacts with one message',
			],
			rows: [inOne.row, inTwo.row],
			notes: [
				'Where both meet at a contact, the second to mark it sees the mark of the first in the answer. It does not send, and takes its own mark back.',
			],
			requirements: [...inOne.requirements, ...inTwo.requirements],
		};
	} finally {
		await other.close();
	}
}

interface Together {
	input: number;
	confirmed: number;
	row: string[];
	requirements: Requirement[];
}

async function runTwice(name: string, bed: Testbed, other: Testbed): Promise<Together> {
	const audience = await startAnew(bed, CONTACTS);
	const { sandbox } = bed;
	sandbox.setLatency(LATENCY_MS);
	sandbox.fail({ match: { method: 'GET' }, times: 2, kind: { delayMs: LOOK_MS } });
	const start = [bed, other].map(async ({ n8n }) => {
		const { url, apiKey } = sandbox;
		const data = { baseUrl: url, apiKey, authHeader: 'bearer' };
		const credential = await n8n.rest.createCredential('CRM', 'workspaceCrmApi', data);
		const workflow = campaignWorkflow(audience.input, campaignNode({}, credential));
		const { id } = await n8n.rest.createWorkflow(workflow);
		return { id, rest: n8n.rest };
	});
	const workflows = await Promise.all(start);
	const run = async ({ id, rest }: (typeof workflows)[number]) =>
		await endedRun(rest, await rest.startWorkflow(id, 'Start'));
	const runs = await Promise.all(workflows.map(run));
	const middle = standing(sandbox, audience);
	const met = audience.input.filter((contact) => marksOf(contact).length > 1).length;

	sandbox.setLatency(0);
	const more = await run(workflows[0]);
	const end = standing(sandbox, audience);
	const sent = runs.map(({ report }) => reported(report, 'sent').length);
	const last = reported(more.report, 'sent').length;
	const { length: confirmed } = audience.confirmed;
	const statuses = [...runs, more].map(({ status }) => status);
	return {
		input: audience.input.length,
		confirmed,
		row: [name, ...[...sent, met, last, end.messages].map(count)],
		requirements: [
			promise(
				`${name}: nobody has two messages, and what both report as sent is what the record holds`,
				[...middle.problems, ...unless('reported', sent[0] + sent[1], middle.messages)],
				`${sent.join(' and ')} messages`,
			),
			promise(
				`${name}: both met at some contacts, so there was something to see`,
				met > 0 ? [] : ['they met at none'],
				`${met} contacts`,
			),
			promise(
				`${name}: after one more run everyone confirmed has exactly one`,
				[
					...end.problems,
					...unless('statuses', statuses, ['success', 'success', 'success']),
					...unless('left', [...end.left, ...end.interrupted], []),
					...unless('messages', end.messages, confirmed),
				],
				`${end.messages} of ${confirmed}`,
			),
		],
	};
}
