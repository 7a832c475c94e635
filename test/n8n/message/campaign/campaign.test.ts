import type { Contact, JsonObject, OptInStatus } from '../../../../tools/sandbox';
import { SeededRandom } from '../../../../tools/sandbox/seed/random';
import { delay } from '../../../../tools/support/platform';
import { addContacts } from '../../../workflow/support';
import { ensureHost } from '../../../../tools/n8n/installHost';
import { executeWorkflow } from '../../../../tools/n8n/n8nCli';
import { finalStatuses, outputItems } from '../../../../tools/n8n/n8nRestClient';
import { poll } from '../../../../tools/n8n/poll';
import { startTestbed, type Testbed } from '../../../../tools/n8n/testbed';
import { crmNode, manualWorkflow, node } from '../../../../tools/n8n/workflows';

/** Send Campaign in a real n8n that is killed again and again. */
let bed: Testbed;

beforeAll(async () => {
	bed = await startTestbed();
}, 900_000);
afterAll(async () => await bed?.close());

/** The input has 100 of them, and 84 of those have confirmed. */
const CONTACTS = 120;
/** The template, and two pages of contacts. */
const READS = 3;
/** How many recipients the node sends to at once. */
const AT_ONCE = 5;
const CAMPAIGN_KEY = 'spring-sale';

/** Of each 20 contacts, these have not confirmed. */
const OTHER_STATES: OptInStatus[] = ['opted_out', 'pending', 'none'];
let input: Contact[];
/** Those in the input who have confirmed. */
let recipients: Contact[];

/** Adds the contacts and a workflow that sends to most of them; each message names its contact. */
async function createCampaign(): Promise<string> {
	const all = addContacts(bed.sandbox, CONTACTS);
	all.forEach((contact, index) => {
		contact.opt_in_status = OTHER_STATES[index % 20] ?? 'confirmed';
	});
	input = all.filter((_, index) => index % 6 !== 5);
	recipients = input.filter(({ opt_in_status }) => opt_in_status === 'confirmed');
	const campaign = crmNode({
		resource: 'message',
		operation: 'sendCampaign',
		contactId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
		campaignKey: CAMPAIGN_KEY,
		template: { __rl: true, mode: 'name', value: 'welcome' },
		options: { variables: { values: [{ name: 'name', value: '={{ $json.id }}' }] } },
	});
	// n8n's command does not use pinned data.
	const rows = JSON.stringify({ rows: input.map(({ id }) => ({ id })) });
	const source = node('Rows', 'n8n-nodes-base.set', { mode: 'raw', jsonOutput: rows }, 3.4);
	const each = node('Each', 'n8n-nodes-base.splitOut', { fieldToSplitOut: 'rows' });
	const workflow = manualWorkflow([source, each, campaign]);
	return (await bed.n8n.rest.createWorkflow(workflow)).id;
}

test('killed six times: nobody gets a second message, and the last run accounts for everybody', async () => {
	const { sandbox } = bed;
	const workflowId = await createCampaign();
	sandbox.setLatency(10);
	// The moments differ in each run of the tests; a failure shows its seed.
	const seed = Date.now() % 1_000_000;
	const random = new SeededRandom(seed);
	// After many messages, while pages are read, while the first message is sent alone, and while five are sent.
	const many = 60 + random.integer(10);
	const first = READS + 1 + random.integer(2);
	const several = Array.from({ length: 3 }, () => READS + 3 + random.integer(14));
	let interrupted: string[] = [];
	for (const request of [many, READS, first, ...several]) {
		const delayMs = random.integer(15);
		const problems = await killMidCampaign(workflowId, request, delayMs);
		const before = interrupted;
		interrupted = markedWithoutMessage();
		expect({ seed, request, delayMs, problems }).toMatchObject({ problems: [] });
		const added = interrupted.filter((id) => !before.includes(id));
		expect(added.length).toBeLessThanOrEqual(AT_ONCE);
	}

	const { sentMessages } = sandbox.store;
	const sentBefore = sentMessages.length;
	const last = await runToEnd(workflowId);
	const sent = sentMessages.slice(sentBefore).map(({ contact_id }) => contact_id);
	expect(last.status).toBe('success');
	expect(last.requests).toBe(READS + 2 * sent.length);
	const unconfirmed = { opted_out: 'optedOut', pending: 'notConfirmed', none: 'notConfirmed' };
	const expected = input.map(({ id, opt_in_status: status }) => [
		id,
		status === 'confirmed' ? (sent.includes(id) ? 'sent' : 'alreadyMarked') : unconfirmed[status],
	]);
	expect(last.report.sort()).toEqual(expected.sort());
	expect(problemsOfAll()).toEqual([]);
	expect(markedWithoutMessage()).toEqual(interrupted);
	expect(sentMessages).toHaveLength(recipients.length - interrupted.length);

	const again = await runToEnd(workflowId);
	expect(again).toMatchObject({ status: 'success', requests: READS });
	expect(again.report.filter(([, code]) => code === 'sent')).toEqual([]);
}, 900_000);

test('run by two processes at once: nobody gets a second message, and nobody is left out', async () => {
	const { sandbox, userFolder } = bed;
	sandbox.reset();
	const workflowId = await createCampaign();
	sandbox.setLatency(100);
	let other: ReturnType<typeof runToEnd> | undefined;
	// The second run begins with the first request of the first run.
	sandbox.fail({ kind: { meanwhile: () => void (other = runToEnd(workflowId)) } });
	await executeWorkflow({ host: await ensureHost(), userFolder }, workflowId);
	expect((await other)?.status).toBe('success');
	expect(problemsOfAll()).toEqual([]);
	const executions = new Set(
		recipients.flatMap((each) => marksOf(each).map(({ executionId }) => executionId)),
	);
	expect(executions.size).toBe(2);

	await runToEnd(workflowId);
	expect(problemsOfAll()).toEqual([]);
	expect(markedWithoutMessage()).toEqual([]);
	expect(sandbox.store.sentMessages).toHaveLength(recipients.length);
}, 900_000);

async function runToEnd(workflowId: string) {
	const { rest } = bed.n8n;
	const requestsBefore = bed.sandbox.requests.length;
	const executionId = await rest.startWorkflow(workflowId, 'Start');
	const { status, data } = await rest.waitForExecution(executionId, 600_000);
	const items = [0, 1].flatMap((output) => outputItems(data, 'CRM', output));
	/** For each contact, the code if it was skipped, otherwise the result. */
	const report = items.map(({ contact_id, code, result }) => [
		String(contact_id),
		String(code ?? result),
	]);
	return { status, report, requests: bed.sandbox.requests.length - requestsBefore };
}

/** Runs the workflow, kills n8n some time after a request, and starts it again. Returns the problems. */
async function killMidCampaign(
	workflowId: string,
	request: number,
	delayMs: number,
): Promise<string[]> {
	const { sandbox, n8n } = bed;
	const sentBefore = sandbox.store.sentMessages.length;
	let isKilled = false;
	const kill = () => {
		isKilled = true;
		void n8n.kill();
	};
	const meanwhile = () => (delayMs > 0 ? void delay(delayMs).then(kill) : kill());
	sandbox.fail({ skip: request - 1, kind: { meanwhile } });
	// If the kill comes early, n8n does not answer this request.
	await n8n.rest.startWorkflow(workflowId, 'Start').catch((error: unknown) => {
		if (!isKilled) throw error;
	});
	const newest = async () => (await n8n.rest.listExecutions(workflowId))[0];
	const isOver = async () => finalStatuses.includes((await newest()).status);
	await poll(
		async () => isKilled || (await isOver().catch(() => false)),
		Boolean,
		`request ${request} of the run`,
		600_000,
	);
	if (!isKilled) throw new Error(`The run ended before its request ${request}`);
	await n8n.kill();
	await bed.restart('kill');
	const [{ id, status }] = await bed.n8n.rest.listExecutions(workflowId);
	const problems = problemsOfAll();
	if (status === 'success') problems.push('n8n takes the killed run for a success');
	for (const { contact_id } of sandbox.store.sentMessages.slice(sentBefore)) {
		const contact = sandbox.store.contacts.get(contact_id) as Contact;
		const isOfRun = validMarks(contact).some(({ executionId }) => executionId === id);
		if (!isOfRun) problems.push(`${contact_id}: its mark is not of execution ${id}`);
	}
	return problems;
}

/** Reads marks as the docs describe them, without the code that writes them. */
function marksOf({ attributes }: Contact) {
	return Object.entries(attributes)
		.filter(([name]) => name.startsWith('sent:'))
		.map(([name, value]) => {
			const [, refused, at, executionId] =
				/^(refused )?(\d{4}-\d\d-\d\dT[\d:.]+Z) execution (\d+)$/.exec(String(value)) ?? [];
			return { name, isTakenBack: refused !== undefined, at, executionId };
		});
}

const MARK = new RegExp(`^sent:${CAMPAIGN_KEY}:[0-9a-f]{8}$`);
const validMarks = (contact: Contact) => marksOf(contact).filter(({ isTakenBack }) => !isTakenBack);
const messagesOf = ({ id }: Contact) =>
	bed.sandbox.store.sentMessages.filter(({ contact_id }) => contact_id === id);

const markedWithoutMessage = () =>
	input
		.filter((contact) => validMarks(contact).length > 0 && messagesOf(contact).length === 0)
		.map(({ id }) => id);

/** Checks the service's own records against what campaigns promise. */
const problemsOfAll = () =>
	[...bed.sandbox.store.contacts.values()].flatMap((contact) =>
		problemsOf(contact).map((problem) => `${contact.id}: ${problem}`),
	);

function problemsOf(contact: Contact): string[] {
	const [marks, valid] = [marksOf(contact), validMarks(contact)];
	const [message, ...more] = messagesOf(contact);
	const problems = [
		...(more.length > 0 ? ['has several messages'] : []),
		...(valid.length > 1 ? ['has several marks'] : []),
		...marks.filter(({ name, at }) => !MARK.test(name) || !at).map(({ name }) => `odd: ${name}`),
	];
	if (!recipients.includes(contact) && (message || marks.length > 0)) {
		problems.push(`has a mark or a message, being ${contact.opt_in_status}`);
	}
	if (!message) return problems;
	if (valid.length === 0) problems.push('has a message and no mark');
	if (valid[0]?.at > message.created_at) problems.push('got its mark too late');
	const { name } = message.variables as JsonObject;
	if (name !== contact.id) problems.push('has the message of somebody else');
	return problems;
}
