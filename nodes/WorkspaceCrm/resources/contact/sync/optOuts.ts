import type { Api } from '../../../api/api';
import type { Clock } from '../../../api/clock';
import type { Wanted } from '../../../domain/sync/merge';
import { ALL_CONTACTS } from '../../references';
import type { FindOptedOut } from './carryOut';
import { collector, type Known } from './known';

/** How old the list of those who opted out may be when somebody is opted in. */
const MAX_AGE_MS = 10_000;

/**
 * Finds contacts who have opted out, by a list that is read again when it is more than ten seconds
 * old, or, where reading takes longer, twice as old as that took: reading never takes more requests
 * than writing.
 *
 * @param wanted the contacts of the input; others are not kept
 * @param knownSinceMs since when (by `elapsedMs`) the contacts are known; undefined if they are not
 * @returns gives the contact with these digits, as it is now, if it has opted out
 */
export function watchOptOuts(
	api: Api,
	clock: Clock,
	wanted: readonly Wanted[],
	knownSinceMs = -Infinity,
): FindOptedOut {
	const request = { ...ALL_CONTACTS, query: { opt_in_status: 'opted_out' } };
	const read = async () => {
		const found: Known['contacts'] = new Map();
		await api.visit(request, collector(found, wanted));
		return found;
	};
	let list = Promise.resolve<Known['contacts']>(new Map());
	let freshUntilMs = knownSinceMs + MAX_AGE_MS;
	const refresh = () => {
		const startedMs = clock.elapsedMs();
		freshUntilMs = Infinity;
		list = read();
		list.then(
			() => (freshUntilMs = Math.max(startedMs + MAX_AGE_MS, 2 * clock.elapsedMs() - startedMs)),
			() => (freshUntilMs = -Infinity),
		);
	};
	return async (digits) => {
		if (clock.elapsedMs() > freshUntilMs) refresh();
		return (await list).get(digits)?.at(-1);
	};
}
