import type { IDataObject } from 'n8n-workflow';

import {
	addAudience,
	campaignWorkflow,
	endOfCampaign,
	reportOf,
	type Audience,
	type Reported,
} from '../n8n/campaigns';
import type { N8nRestClient } from '../n8n/n8nRestClient';
import type { Testbed } from '../n8n/testbed';
import type { RecordedRequest } from '../sandbox';

/** What n8n tells of a run, and what the service saw of it. */
export interface CampaignRun {
	executionId: string;
	status: string;
	/** Empty if the execution ended with an error. */
	report: Reported[];
	/** The error of the execution, with all that it says. */
	error: string;
	/** The requests that came while it ran. */
	requests: RecordedRequest[];
}

/** Runs the campaign to its end. */
export async function runCampaign(
	{ n8n: { rest }, sandbox }: Testbed,
	workflowId: string,
): Promise<CampaignRun> {
	const before = sandbox.requests.length;
	const executionId = await rest.startWorkflow(workflowId, 'Start');
	const ended = await endedRun(rest, executionId);
	return { ...ended, requests: sandbox.requests.slice(before) };
}

export async function endedRun(
	rest: N8nRestClient,
	executionId: string,
): Promise<Omit<CampaignRun, 'requests'>> {
	const { status, data } = await endOfCampaign(rest, executionId);
	const { message = '', description = '' } = data.resultData.error ?? ({} as IDataObject);
	return { executionId, status, report: reportOf(data), error: `${message} ${description}`.trim() };
}

/** A new n8n process, which has to learn the rate limit again, and an audience of so many contacts. */
export async function startAnew(bed: Testbed, contacts: number): Promise<Audience> {
	await bed.restart('stop');
	bed.sandbox.reset();
	return addAudience(bed.sandbox, contacts);
}

export async function createCampaign(
	{ n8n }: Testbed,
	...workflow: Parameters<typeof campaignWorkflow>
): Promise<string> {
	return (await n8n.rest.createWorkflow(campaignWorkflow(...workflow))).id;
}

/** The contacts that a run reports with a status, and perhaps a code. */
export function reported(report: Reported[], status: string, code?: string): string[] {
	return report
		.filter((each) => each.status === status && (code === undefined || each.code === code))
		.map(({ contactId }) => contactId)
		.sort();
}

export const idsOf = (contacts: ReadonlyArray<{ id: string }>) =>
	contacts.map(({ id }) => id).sort();

/** Those that send a message, among requests. */
export const sends = (requests: RecordedRequest[]) =>
	requests.filter(({ path }) => path.includes('/messages/'));
