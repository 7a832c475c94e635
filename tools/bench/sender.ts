import { randomUUID } from 'node:crypto';

import { signatureOf } from '../sandbox';
import { delay, performance } from '../support/platform';

/** Deliveries to send to one address, each with an event of its own. */
export interface Job {
	/** The URL under which n8n listens. */
	url: string;
	/** The signed headers that do not depend on the body. */
	headers: Record<string, string>;
	/** What the deliveries are signed with, and where the signature goes. */
	secret: string;
	signatureHeader: string;
	/** The body of a delivery; each one gets an id and a time of its own. */
	body: string;
	count: number;
	/**
	 * The interval between deliveries, whether they are answered or not. Without it, each is sent when the one
	 * before is answered.
	 */
	everyMs?: number;
}

/** How n8n answered one delivery. */
export interface Answer {
	/** From when it was due, not from when it was sent, so that a late sender hides nothing. */
	elapsedMs: number;
	/** Whether n8n answered with 200 and says that it started the workflow. */
	isStarted: boolean;
}

/** Sends the deliveries of a job; resolves when all are answered. */
export async function deliver(job: Job): Promise<Answer[]> {
	const { everyMs } = job;
	const startMs = performance.now();
	const answers: Array<Promise<Answer>> = [];
	for (let index = 0; index < job.count; index += 1) {
		if (everyMs === undefined) await answers.at(-1);
		const dueMs = everyMs === undefined ? performance.now() : startMs + index * everyMs;
		const aheadMs = dueMs - performance.now();
		if (aheadMs > 0) await delay(aheadMs);
		answers.push(send(job, dueMs));
	}
	return await Promise.all(answers);
}

async function send(job: Job, dueMs: number): Promise<Answer> {
	const { url, headers, secret, signatureHeader, body: like } = job;
	const event = JSON.parse(like) as Record<string, unknown>;
	const ownParts = { id: `evt_${randomUUID()}`, created_at: new Date().toISOString() };
	const body = JSON.stringify({ ...event, ...ownParts });
	const isStarted = await fetch(url, {
		method: 'POST',
		headers: {
			...headers,
			// n8n may close an idle connection in the very moment it is used again.
			connection: 'close',
			'x-service-delivery': randomUUID(),
			[signatureHeader]: signatureOf(body, secret),
		},
		body,
		signal: AbortSignal.timeout(60_000),
	}).then(
		async (response) => response.ok && !(await response.text()).includes('Nothing was started'),
		() => false,
	);
	return { elapsedMs: performance.now() - dueMs, isStarted };
}
