import { createHmac } from 'node:crypto';
import type { Scheduler } from '../scheduler';

export interface Target {
	/** The public address the subscription names. */
	url: string;
	/** Public origin to the local origin where a reverse proxy would pass it on. */
	publicHosts: Record<string, string>;
	timeoutMs: number;
}

/**
 * Posts a body to the local counterpart of a public address. Returns the status and the text of the answer, at
 * most 1,000 characters of it.
 *
 * Fails when the origin has no local counterpart (the sandbox never talks to the internet), when the connection
 * fails, and when the answer takes longer than the timeout of the clock.
 */
export async function postToPublicUrl(
	target: Target,
	headers: Record<string, string>,
	body: string,
	scheduler: Scheduler,
	signal: AbortSignal,
): Promise<{ status: number; answer: string }> {
	const publicUrl = new URL(target.url);
	const localOrigin = target.publicHosts[publicUrl.origin];
	if (!localOrigin) throw new Error(`no route to ${publicUrl.origin}`);
	const late = new AbortController();
	const answered = new AbortController();
	void scheduler.wait(target.timeoutMs, answered.signal).then((elapsed) => {
		if (elapsed) late.abort(new Error(`no answer within ${target.timeoutMs} ms`));
	});
	try {
		const response = await fetch(new URL(publicUrl.pathname + publicUrl.search, localOrigin), {
			method: 'POST',
			redirect: 'manual',
			signal: AbortSignal.any([signal, late.signal]),
			headers: {
				...headers,
				// A kept connection would hold the receiver open after a test.
				connection: 'close',
				'x-forwarded-proto': 'https',
				'x-forwarded-host': publicUrl.host,
			},
			body,
		});
		// An answer that breaks off counts, too, as its status has arrived.
		const answer = await response.text().catch(() => '');
		return { status: response.status, answer: answer.slice(0, 1000) };
	} finally {
		answered.abort();
	}
}

/** The value of X-Service-Signature for a raw body and a subscription's secret. */
export const signatureOf = (rawBody: string | Buffer, secret: string) =>
	`sha256=${createHmac('sha256', secret).update(rawBody).digest('hex')}`;
