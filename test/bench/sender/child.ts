/** The program of the sender: sends one job after another, as its parent asks. */
import { randomUUID } from 'node:crypto';

import { signatureOf } from '../../sandbox/delivery/signature';
import { delay, http, performance, process } from '../../support/platform';
import type { Answer, Job } from './job';

/** A connection for each, as n8n may close an idle one in the very moment it is used again. */
const agent = new http.Agent({ keepAlive: false });
const timeoutMs = 60_000;

async function run(job: Job): Promise<Answer[]> {
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

async function send({ url, headers, secret, body: like }: Job, dueMs: number): Promise<Answer> {
	const event = JSON.parse(like) as Record<string, unknown>;
	const ownParts = { id: `evt_${randomUUID()}`, created_at: new Date().toISOString() };
	const body = JSON.stringify({ ...event, ...ownParts });
	const { status, text } = await post(url, body, {
		...headers,
		'x-service-delivery': randomUUID(),
		'x-service-signature': signatureOf(body, secret),
	});
	return {
		elapsedMs: performance.now() - dueMs,
		isStarted: status === 200 && !text.includes('Nothing was started'),
	};
}

async function post(url: string, body: string, headers: Record<string, string>) {
	return await new Promise<{ status: number; text: string }>((resolve) => {
		const length = { 'content-length': String(Buffer.byteLength(body)) };
		const options = {
			method: 'POST',
			agent,
			timeout: timeoutMs,
			headers: { ...headers, ...length },
		};
		const request = http.request(url, options, (response) => {
			let text = '';
			response.setEncoding('utf8').on('data', (part: string) => (text += part));
			response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
		});
		request.on('timeout', () => request.destroy(new Error('no answer')));
		request.on('error', ({ message }) => resolve({ status: 0, text: message }));
		request.end(body);
	});
}

process.on('message', (job: Job) => {
	void run(job).then((answers) => process.send?.(answers));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
