import { signatureOf, type Sandbox } from '../../tools/sandbox';
import type { TriggerHost } from './triggerHost';

export interface Delivery {
	body: string;
	/** Further headers, or others in place of the right ones; undefined leaves one out. */
	headers?: Record<string, string | undefined>;
	/** When the sender hangs up, whether there is an answer or not. */
	signal?: AbortSignal;
}

/** Sends what the service would send to the published URL, signed unless told otherwise. */
export async function deliver(
	{ sandbox, host, origin }: { sandbox: Sandbox; host: TriggerHost; origin: string },
	{ body, headers = {}, signal }: Delivery,
): Promise<{ status: number; message?: string }> {
	const url = host.url() ?? '';
	const subscription = [...sandbox.store.subscriptions.values()].find((each) => each.url === url);
	const all: Record<string, string | undefined> = {
		'content-type': 'application/json',
		'x-service-event': 'message.received',
		'x-service-signature': signatureOf(body, subscription?.secret ?? ''),
		...headers,
	};
	const given = Object.entries(all).filter((entry): entry is [string, string] => Boolean(entry[1]));
	const response = await fetch(`${origin}${new URL(url).pathname}`, {
		method: 'POST',
		headers: Object.fromEntries(given),
		body,
		signal,
	});
	const answer = (await response.json()) as { message?: string };
	return { status: response.status, message: answer.message };
}

let count = 0;

/** The body of an event, different each time. */
export function eventBody(
	event = 'message.received',
	data: object = {},
	more: object = {},
): string {
	count += 1;
	const created_at = new Date().toISOString();
	return JSON.stringify({ id: `evt-${count}`, event, created_at, data, ...more });
}
