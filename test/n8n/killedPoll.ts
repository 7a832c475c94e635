import { delay } from '../support/platform';
import { LIST_PATH, readings, untilPolled } from './changesRuns';
import type { Testbed } from './testbed';

/** When n8n is killed. */
export interface PollMoment {
	/** Counts from the last page that the service has answered, instead of from the first request. */
	isAfterLastPage: boolean;
	delayMs: number;
}

/**
 * Changes contacts between two polls, kills n8n in the next one, or right after it, while n8n saves, and
 * starts n8n again. Gives whether that poll had its whole list.
 *
 * @param pages in the list
 * @param env of n8n, before and after
 */
export async function killMidPoll(
	bed: Testbed,
	pages: number,
	change: () => void,
	{ isAfterLastPage, delayMs }: PollMoment,
	env: Record<string, string>,
): Promise<boolean> {
	const { sandbox } = bed;
	const isRead = () => {
		const lists = sandbox.requests.filter(({ path }) => path === LIST_PATH);
		const first = lists.map(({ query }) => Number(query.offset ?? 0)).lastIndexOf(0);
		return lists.slice(first).filter(({ tookMs }) => tookMs !== undefined).length >= pages;
	};
	await untilPolled(bed);
	await soon(isRead);
	change();
	const before = readings(sandbox);
	await soon(() => readings(sandbox) > before);
	if (isAfterLastPage) await soon(isRead);
	await delay(delayMs);
	const wasRead = isRead();
	await bed.restart('kill', { env });
	return wasRead;
}

/** Resolves within a millisecond of something being so. */
async function soon(isSo: () => boolean): Promise<void> {
	const deadlineMs = Date.now() + 120_000;
	while (!isSo()) {
		if (Date.now() > deadlineMs) throw new Error(`Waited in vain for ${isSo}`);
		await delay(1);
	}
}
