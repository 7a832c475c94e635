import { SeededRandom } from '../sandbox/seed/random';
import { addAudience, AT_ONCE, campaignWorkflow, reportOf, standing } from './campaigns';
import { killMidCampaign } from './killedCampaign';
import { startTestbed, type Testbed } from './testbed';

/** Send Campaign in a real n8n that is killed again and again. */
let bed: Testbed;

beforeAll(async () => {
	bed = await startTestbed();
}, 900_000);
afterAll(async () => await bed?.close());

/** 100 of them are in the input, and 83 of those have confirmed. */
const CONTACTS = 120;
const PAGES = 2;

async function runToEnd(workflowId: string) {
	const { rest } = bed.n8n;
	const requestsBefore = bed.sandbox.requests.length;
	const executionId = await rest.startWorkflow(workflowId, 'Start');
	const { status, data } = await rest.waitForExecution(executionId, 600_000);
	const requests = bed.sandbox.requests.length - requestsBefore;
	return { status, report: reportOf(data), requests };
}

test('killed six times: nobody gets a second message, and everybody is accounted for', async () => {
	const { sandbox } = bed;
	const audience = addAudience(sandbox, CONTACTS);
	const { id: workflowId } = await bed.n8n.rest.createWorkflow(campaignWorkflow(audience.input));
	sandbox.setLatency(10);
	// Some other moments in each run of the tests; a failure names its own.
	const seed = Date.now() % 1_000_000;
	const random = new SeededRandom(seed);
	// After many messages; while it reads pages; while it sends to the first, alone; and to five at once.
	const many = 60 + random.integer(10);
	const first = PAGES + 1 + random.integer(2);
	const several = Array.from({ length: 3 }, () => PAGES + 3 + random.integer(14));
	let interrupted: string[] = [];
	for (const request of [many, PAGES, first, ...several]) {
		const moment = { request, delayMs: random.integer(15) };
		const killed = await killMidCampaign(bed, workflowId, audience, moment);
		const added = killed.interrupted.filter((id) => !interrupted.includes(id));
		expect({ seed, moment, problems: killed.problems }).toMatchObject({ problems: [] });
		expect(added.length).toBeLessThanOrEqual(AT_ONCE);
		({ interrupted } = killed);
	}

	const { messages } = standing(sandbox, audience);
	const last = await runToEnd(workflowId);
	const sent = sandbox.store.sentMessages.slice(messages).map(({ contact_id }) => contact_id);
	expect(last.status).toBe('success');
	expect(last.requests).toBe(PAGES + 2 * sent.length);
	const unconfirmed = { opted_out: 'optedOut', pending: 'notConfirmed', none: 'notConfirmed' };
	const expected = audience.input.map(({ id, opt_in_status: status }) => [
		id,
		status === 'confirmed' ? (sent.includes(id) ? 'sent' : 'alreadyMarked') : unconfirmed[status],
	]);
	expect(last.report.sort()).toEqual(expected.sort());
	expect(standing(sandbox, audience)).toEqual({
		messages: audience.confirmed.length - interrupted.length,
		interrupted,
		left: [],
		problems: [],
	});

	const again = await runToEnd(workflowId);
	expect(again).toMatchObject({ status: 'success', requests: PAGES });
	expect(again.report.filter(([, code]) => code === 'sent')).toEqual([]);
}, 900_000);
