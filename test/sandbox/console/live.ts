import type { Context } from '../context';
import { delay, type http } from '../../support/platform';
import { readSections, type ContactsShown } from './sections';

/** How often the state is looked at, in the machine's milliseconds. */
const intervalMs = 200;

/**
 * Sends each section of the page as a server-sent event, at first and whenever it is another one,
 * until the page is closed.
 *
 * It looks instead of being told: tests change the state directly, and with 10,000 contacts a look
 * takes 3 ms.
 */
export async function sendLive(
	context: Context,
	shown: ContactsShown,
	response: http.ServerResponse,
): Promise<void> {
	const closed = new AbortController();
	response.once('close', () => closed.abort());
	const sent = new Map<string, string>();
	while (!closed.signal.aborted) {
		for (const [name, json] of readSections(context, shown)) {
			if (sent.get(name) === json) continue;
			sent.set(name, json);
			response.write(`event: ${name}\ndata: ${json}\n\n`);
		}
		await delay(intervalMs, undefined, { signal: closed.signal }).catch(() => undefined);
	}
}
