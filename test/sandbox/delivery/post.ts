import { createHmac } from 'node:crypto';
import { http } from '../../support/platform';
import type { Scheduler } from '../scheduler';

export interface Target {
	/** The public address the subscription names. */
	url: string;
	/** Public origin to the local origin where a reverse proxy would pass it on. */
	publicHosts: Record<string, string>;
	timeoutMs: number;
}

/**
 * Posts a body to the local counterpart of a public address and gives the status and the text of
 * the answer, at most 1,000 characters of it.
 *
 * Fails when the origin has no local counterpart (the sandbox never talks to the internet), when
 * the connection fails, and when the answer takes longer than the timeout of the clock.
 */
export async function postToPublicUrl(
	target: Target,
	headers: Record<string, string>,
	rawBody: string,
	scheduler: Scheduler,
	signal: AbortSignal,
): Promise<{ status: number; answer: string }> {
	const publicUrl = new URL(target.url);
	const localOrigin = target.publicHosts[publicUrl.origin];
	if (!localOrigin) throw new Error(`no route to ${publicUrl.origin}`);
	const answered = new AbortController();
	try {
		return await new Promise((resolve, reject) => {
			const request = http.request(new URL(publicUrl.pathname + publicUrl.search, localOrigin), {
				method: 'POST',
				// A connection of its own: a kept one would hold the receiver open after a test.
				agent: false,
				signal,
				headers: {
					...headers,
					'content-length': String(Buffer.byteLength(rawBody)),
					'x-forwarded-proto': 'https',
					'x-forwarded-host': publicUrl.host,
				},
			});
			request.on('response', (response) => {
				let answer = '';
				response.setEncoding('utf8').on('data', (part: string) => (answer += part));
				// Follows an answer that broke off, too: its status has come.
				response
					.on('error', () => undefined)
					.once('close', () => {
						resolve({ status: response.statusCode ?? 0, answer: answer.slice(0, 1000) });
					});
			});
			request.on('error', reject);
			request.end(rawBody);
			void scheduler.wait(target.timeoutMs, answered.signal).then((elapsed) => {
				if (elapsed) request.destroy(new Error(`no answer within ${target.timeoutMs} ms`));
			});
		});
	} finally {
		answered.abort();
	}
}

/** The value of X-Service-Signature for a raw body and a subscription's secret. */
export const signatureOf = (rawBody: string | Buffer, secret: string) =>
	`sha256=${createHmac('sha256', secret).update(rawBody).digest('hex')}`;
