import { SeededRandom } from '../sandbox/seed/random';
import {
	addAudience,
	AT_ONCE,
	campaignWorkflow,
	endOfCampaign,
	reportOf,
	standing,
	type Audience,
} from './campaigns';
import { killMidCampaign } from './killedCampaign';
import { startTestbed, type Testbed } from './testbed';

/** Send Campaign in a real n8n that is killed, and with a limit that is used up. See `test/campaign`. */
let bed: Testbed;
let audience: Audience;
let workflowId: string;

beforeAll(async () => {
	bed = await startTestbed();
}, 900_000);
beforeEach(async () => {
	bed.sandbox.reset();
	audience = addAudience(bed.sandbox, 72);
	workflowId = (await bed.n8n.rest.createWorkflow(campaignWorkflow(audience.input))).id;
});
afterAll(async () => await bed?.close());

async function runAgain() {
	const { rest } = bed.n8n;
	const { status, data } = await endOfCampaign(rest, await rest.startWorkflow(workflowId, 'Start'));
	return { status, report: reportOf(data), error: data.resultData.error };
}

const statusesOf = (ids: string[], report: ReturnType<typeof reportOf>) =>
	ids.map((id) => report.find(({ contactId }) => contactId === id)?.code);

test('nobody gets a second message after n8n was killed, and the rest get theirs', async () => {
	// Some other moments in each run of the tests; a failure names its own.
	const seed = Date.now() % 1_000_000;
	const random = new SeededRandom(seed);
	bed.sandbox.setLatency(10);
	let interrupted: string[] = [];
	// The look, the first contact alone, and then several at once.
	for (const request of [1, 2, 3, 4 + random.integer(10), 4 + random.integer(10)]) {
		const moment = { phase: '', request, delayMs: random.integer(15) };
		const killed = await killMidCampaign(bed, workflowId, audience, moment);
		const more = killed.interrupted.length - interrupted.length;
		expect({ seed, moment, problems: killed.problems }).toMatchObject({ problems: [] });
		expect(more).toBeLessThanOrEqual(AT_ONCE);
		({ interrupted } = killed);
	}
	const { status, report } = await runAgain();
	expect(status).toBe('success');
	const end = standing(bed.sandbox, audience);
	expect(end).toMatchObject({ interrupted, left: [], problems: [] });
	expect(end.messages).toBe(audience.confirmed.length - interrupted.length);
	expect(statusesOf(interrupted, report)).toEqual(interrupted.map(() => 'alreadyMarked'));
}, 600_000);

test('a limit that is used up in the middle is waited out, and the rest get their message', async () => {
	bed.sandbox.store.rules.monthlySendLimit = 20;
	const { status, error } = await runAgain();
	expect(status).toBe('error');
	expect(error?.description).toMatch('run it again with the same campaign key');
	const { confirmed } = audience;
	const middle = standing(bed.sandbox, audience);
	expect(middle).toMatchObject({ messages: 20, interrupted: [], problems: [] });
	expect(middle.left).toHaveLength(confirmed.length - 20);

	bed.sandbox.store.rules.monthlySendLimit = null;
	const again = await runAgain();
	expect(again.status).toBe('success');
	const sent = again.report.filter((each) => each.status === 'sent');
	expect(sent.map(({ contactId }) => contactId).sort()).toEqual(middle.left.sort());
	expect(standing(bed.sandbox, audience)).toMatchObject({
		messages: confirmed.length,
		interrupted: [],
		left: [],
		problems: [],
	});
});
