import { delay } from '../support/platform';
import type { Sandbox } from '../sandbox';
import { marksOf, standing, type Audience, type Standing } from './campaigns';
import { finalStatuses } from './n8nRestClient';
import { poll } from './poll';
import type { Testbed } from './testbed';

/** When n8n is killed: after the service has done a request of the run, the first being 1, and a while later. */
export interface Moment {
	request: number;
	delayMs: number;
}

/** Runs the workflow, kills n8n at a moment of the run, and starts n8n again. Gives how things stand then. */
export async function killMidCampaign(
	bed: Testbed,
	workflowId: string,
	audience: Audience,
	{ request, delayMs }: Moment,
): Promise<Standing> {
	const { sandbox, n8n } = bed;
	const sentBefore = sandbox.store.sentMessages.length;
	let isKilled = false;
	const kill = () => {
		isKilled = true;
		void n8n.kill();
	};
	const meanwhile = () => (delayMs > 0 ? void delay(delayMs).then(kill) : kill());
	sandbox.fail({ skip: request - 1, kind: { meanwhile } });
	// Where the kill comes soon, n8n does not answer any more.
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
	const found = standing(sandbox, audience);
	found.problems.push(...foreignMarks(sandbox, sentBefore, id));
	if (status === 'success') found.problems.push('n8n takes the killed run for a success');
	return found;
}

/** Messages of a run whose contacts do not have the mark of that run. */
function foreignMarks({ store }: Sandbox, since: number, executionId: string): string[] {
	return store.sentMessages.slice(since).flatMap(({ contact_id }) => {
		const marks = marksOf(store.contacts.get(contact_id) ?? { attributes: {} });
		const isOurs = marks.some((mark) => !mark.isTakenBack && mark.executionId === executionId);
		return isOurs ? [] : [`${contact_id}: its mark is not of execution ${executionId}`];
	});
}
