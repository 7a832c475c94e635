import type { Sandbox } from '../../../tools/sandbox';
import { eventually, type Testbed } from '../../../tools/n8n/testbed';

export const LIST_PATH = '/v1/contacts';

/** How often a list was read from its beginning. */
export function readings({ requests }: Sandbox, path = LIST_PATH): number {
	return requests.filter(
		(request) => request.path === path && Number(request.query.offset ?? 0) === 0,
	).length;
}

/** Waits for a poll that begins after this call, and for the beginning of the next, so that the first is over. */
export async function untilPolled({ sandbox }: Testbed, path?: string, polls = 1): Promise<void> {
	const before = readings(sandbox, path);
	await eventually(
		() => readings(sandbox, path),
		(now) => now > before + polls,
	);
}
