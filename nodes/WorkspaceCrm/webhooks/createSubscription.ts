import { createApi, type Api } from '../api/client';
import { CrmError } from '../api/crmError';
import type { Advice } from '../api/errors';
import type { Runtime } from '../api/runtime';
import type { RequestContext } from '../api/service';
import { readSubscription, type Subscription } from '../api/types';
import { path } from '../api/urls';
import { deleteSubscription, isTo, listSubscriptions } from './remoteSubscriptions';

/** A subscription to make, and what is said if that fails. */
export interface SubscriptionRequest {
	url: string;
	events: string[];
	/** Deletes the subscription with an id, or all to the URL; says whether one was found and none is left. */
	cleanUp: (id?: string) => Promise<boolean>;
	texts: { conflict: string; unclear: Advice };
	/** The error for a failure; without `isClean`, a subscription may be left at the service. */
	explain: (failure: unknown, isClean: boolean) => unknown;
}

/**
 * Makes a subscription. What was made, or may have been, and cannot be used is deleted again.
 *
 * @throws what `explain` makes of the failure
 */
export async function createSubscription(
	api: Api,
	{ url, events, texts, cleanUp, explain }: SubscriptionRequest,
): Promise<Subscription> {
	let made: Subscription | undefined;
	const create = async (): Promise<Subscription> => {
		const answer = await api.sendForRecord({
			method: 'POST',
			path: path`/v1/subscriptions`,
			body: { url, events },
			advice: { 409: texts.conflict },
			unclear: texts.unclear,
		});
		made = readSubscription(answer);
		assertUsable(made, { url, events });
		return made;
	};
	return await create().catch(async (failure: unknown) => {
		const isNotMade = !made && failure instanceof CrmError && !failure.mayHaveHappened;
		const isClean = isNotMade || (await cleanUp(made?.id || undefined));
		return await Promise.reject(explain(failure, isClean));
	});
}

/** @throws CrmError if the subscription would never bring the events; what the service does not say is taken to be right */
function assertUsable(made: Subscription, wanted: { url: string; events: string[] }): void {
	if (made.id === '' || made.secret === '') {
		throw new CrmError(
			'The service created the webhook subscription without an ID or a signing secret',
			'Without an ID and a signing secret, n8n cannot tell genuine deliveries from forged ones, so this node does not use the subscription. Try again. If this happens again, report it to the provider of the service.',
		);
	}
	assertBringsEvents(made, wanted);
}

/** The same for one that is known already. */
export function assertBringsEvents(
	{ url, events, isActive }: Subscription,
	wanted: { url: string; events: string[] },
): void {
	const isOurs = url === '' || isTo({ url }, wanted.url);
	const isComplete = wanted.events.every((event) => !events || events.includes(event));
	if (isOurs && isActive && isComplete) return;
	const what = isOurs
		? 'It is not active, or lacks events that were asked for.'
		: `It was to be sent to ${placeOf(wanted.url)}, but goes to ${placeOf(url)}, where n8n accepts nothing.`;
	throw new CrmError(
		'The service made a webhook subscription that cannot bring the events',
		`${what} Report this to the provider of the service.`,
	);
}

/** The rest of the URL may hold n8n's signature. */
const placeOf = (url: string) => url.split('?')[0];

/** How long cleaning up may hold up an error. */
const CLEAN_UP_MS = 10_000;

/**
 * Deletes the subscription with an id, or all to the URL but those of somebody else, also when the
 * execution was stopped.
 */
export async function deleteLeftovers(
	context: RequestContext,
	runtime: Runtime,
	{ url, id, othersIds = [] }: { url: string; id?: string; othersIds?: readonly string[] },
): Promise<boolean> {
	const signal = runtime.clock.signalAfter(CLEAN_UP_MS);
	const limits = { effect: 'idempotent', runtime, maxWaitMs: CLEAN_UP_MS, signal } as const;
	try {
		const api = await createApi(context, limits);
		const all = id === undefined ? await listSubscriptions(api) : [{ id, url }];
		const ours = all.filter((each) => isTo(each, url) && !othersIds.includes(each.id));
		for (const each of ours) await deleteSubscription(api, each.id);
		// What was not found may be made yet.
		return ours.length > 0;
	} catch {
		return false;
	}
}
