import type { Api } from '../../../api/client';
import type { Clock } from '../../../n8n/clock';
import type { DesiredContact } from './desired';
import { isOptInBarred, planToChange, type Plan, type SyncRules } from './plan';
import { ALL_CONTACTS } from '../../references';
import { collector, type Snapshot } from './snapshot';

/** How old the list of those who opted out may be when somebody is opted in. */
const MAX_AGE_MS = 10_000;

/** Gives a plan as it has to be now, if the contact has opted out since it was made. */
export type RenewPlan = (plan: Plan) => Promise<Plan>;

/**
 * Watches who opts out during a sync, by a list that is read again when it is more than ten seconds
 * old, or, where reading takes longer, twice as old as that took: reading never takes more requests
 * than writing.
 *
 * @param desired the contacts of the input; others are not kept
 * @param snapshotMs since when (by `elapsedMs`) the contacts are known; undefined if they are not
 */
export function watchOptOuts(
	api: Api,
	clock: Clock,
	rules: SyncRules,
	desired: readonly DesiredContact[],
	snapshotMs = -Infinity,
): RenewPlan {
	const request = { ...ALL_CONTACTS, query: { opt_in_status: 'opted_out' } };
	const read = async () => {
		const found: Snapshot['contacts'] = new Map();
		await api.visit(request, collector(found, desired));
		return found;
	};
	let list = Promise.resolve<Snapshot['contacts']>(new Map());
	let freshUntilMs = snapshotMs + MAX_AGE_MS;
	const refresh = () => {
		const startedMs = clock.elapsedMs();
		freshUntilMs = Infinity;
		list = read();
		list.then(
			() => (freshUntilMs = Math.max(startedMs + MAX_AGE_MS, 2 * clock.elapsedMs() - startedMs)),
			() => (freshUntilMs = -Infinity),
		);
	};
	return async (plan) => {
		const { digits } = plan.desired;
		if (digits === undefined || !isOptInBarred(plan.fields, rules)) return plan;
		if (clock.elapsedMs() > freshUntilMs) refresh();
		const optedOut = (await list).get(digits)?.at(-1);
		return optedOut ? planToChange(plan.desired, optedOut, rules) : plan;
	};
}
