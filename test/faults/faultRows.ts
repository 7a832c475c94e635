import type { INode } from 'n8n-workflow';

import type { Fault, FaultKind, ListEnvelope } from '../../tools/sandbox';
import { drip, tooLarge } from '../support/hostileAnswers';
import type { OperationRow } from './operationRows';
import { ITEMS, type World } from './world';

/** How the items of a run end. 'open' allows any end that matches the state of the service. */
export type Ending = 'all well' | 'one fails' | 'all fail' | 'open';

/** One thing that goes wrong. */
export interface FaultRow {
	name: string;
	/** Makes it go wrong once the run begins. */
	arm: (world: World, row: OperationRow) => void;
	ends: (row: OperationRow) => Ending;
	/** What the error of a failed item must say, in addition to advice. */
	says?: RegExp;
	/** What a failed item says if an earlier run has already deleted its record. */
	doneBefore?: RegExp;
	/** Whether it makes sense for an operation; by default, it does. */
	appliesTo?: (row: OperationRow) => boolean;
	/** Settings of the node. */
	settings?: Partial<INode>;
	/** How many items the run has; by default `ITEMS`. */
	items?: number;
	/** Whether the run has to wait in real time. */
	isSlow?: boolean;
}

const unlimited = 1_000;

const strike =
	(kind: FaultKind, times = 1, skip = 0): FaultRow['arm'] =>
	({ sandbox }, { struck }) =>
		sandbox.fail({ kind, times, skip, match: struck } as Fault);

/** One failed request: it is retried if that does no harm; otherwise, its outcome is unknown. */
const passing: FaultRow['ends'] = ({ isRepeatable }) => (isRepeatable ? 'all well' : 'one fails');
const allWell = (): Ending => 'all well';
const oneFails: FaultRow['ends'] = ({ isForAll }) => (isForAll ? 'all fail' : 'one fails');
const allFail = (): Ending => 'all fail';
const open = (): Ending => 'open';

const unclear = /may have taken effect/;
const large = /The service answered with more than 32 MB.*Check the base URL/s;
const gateway = '<html><body>Bad gateway</body></html>';
/** n8n runs the node again with all its items if the first item failed. */
const retryOnFail: Partial<INode> = { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 };
const isLong = ({ isLong }: OperationRow) => Boolean(isLong);
/** For what all operations share: one operation that may be repeated, and one that may not. */
const oneOfEach = ({ operation, variant }: OperationRow) =>
	!variant && ['contact update', 'message sendTemplate'].includes(operation);
const refusal = (retryAfter?: string): FaultKind => ({
	status: 429,
	headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
});

const drops: FaultRow[] = [
	{
		name: 'connection dropped before the effect',
		arm: strike({ drop: 'beforeEffect' }),
		ends: passing,
		says: unclear,
	},
	{
		name: 'connection dropped after the effect',
		arm: strike({ drop: 'afterEffect' }),
		ends: passing,
		says: unclear,
	},
	{
		name: 'connection dropped within the answer',
		arm: strike({ drop: 'midAnswer' }),
		ends: passing,
		says: unclear,
	},
	{
		name: 'every connection dropped',
		arm: strike({ drop: 'beforeEffect' }, unlimited),
		ends: allFail,
		says: /The connection to the service broke before its answer arrived/,
	},
	{
		name: 'dropped after the effect, and n8n set to Retry On Fail',
		arm: strike({ drop: 'afterEffect' }),
		ends: passing,
		says: unclear,
		settings: retryOnFail,
	},
];

const statuses: FaultRow[] = [
	{ name: '500, once', arm: strike({ status: 500 }), ends: passing, says: unclear },
	{
		name: '402, every time',
		arm: strike({ status: 402, detail: 'send limit reached' }, unlimited),
		ends: allFail,
		says: /The plan of the workspace is inactive, or its monthly send limit is reached.*Check the plan/s,
	},
	{
		name: '502 of a gateway, once',
		arm: strike({ status: 502, body: gateway }),
		ends: passing,
		says: unclear,
		appliesTo: oneOfEach,
	},
	{
		name: '504 of a gateway after the effect',
		arm: strike({ status: 504, body: gateway, afterEffect: true }),
		ends: passing,
		says: unclear,
	},
	{
		name: '503 with Retry-After',
		arm: strike({ status: 503, headers: { 'retry-after': '1' } }),
		ends: passing,
		says: unclear,
	},
	{
		name: '500, every time',
		arm: strike({ status: 500 }, unlimited),
		ends: allFail,
		says: /The CRM is having problems right now.*(Try again in a few minutes|may have taken effect)/s,
	},
	{
		name: '422, once, and n8n set to Retry On Fail',
		arm: strike({ status: 422 }),
		ends: allWell,
		settings: retryOnFail,
	},
	{
		name: '422 that echoes the key',
		arm: (world, row) =>
			strike({ status: 422, detail: `not accepted: Bearer ${world.sandbox.apiKey}` })(world, row),
		ends: oneFails,
		says: /The service did not accept the data.*\(the API key\)/s,
	},
	{
		name: '500 page that echoes the key',
		arm: (world, row) =>
			strike({ status: 500, body: `<p>${world.sandbox.apiKey}</p>` }, unlimited)(world, row),
		ends: allFail,
	},
	{
		name: 'a redirect',
		arm: strike({ status: 302, headers: { location: 'http://127.0.0.1:1/' } }),
		ends: oneFails,
		says: /redirect.*The API key must not reach another address/s,
	},
];

const refusals: FaultRow[] = [
	{ name: '429 storm, Retry-After: 1', arm: strike(refusal('1'), 3), ends: allWell },
	{
		name: '429 without Retry-After',
		arm: strike(refusal()),
		ends: allWell,
		appliesTo: oneOfEach,
	},
	{
		name: '429, Retry-After: an hour',
		arm: strike(refusal('3600'), unlimited),
		ends: allFail,
		says: /The rate limit of the service is used up.*(Wait 60 minutes|Try again)/s,
	},
];

const answers: FaultRow[] = [
	{
		name: 'an HTML page',
		arm: strike({ html: true }),
		ends: oneFails,
		says: /something other than JSON.*Check the base URL/s,
	},
	{
		name: 'half of the JSON',
		arm: strike({ truncated: true }),
		ends: (row) => (row.hasAnswer ? oneFails(row) : 'all well'),
		says: /something other than JSON/,
	},
	{
		name: 'an empty answer',
		arm: strike({ status: 200, body: '', afterEffect: true }),
		ends: open,
		says: /without a (record|list)|does not return the mark/,
	},
	{
		name: '33 MB',
		arm: strike({ raw: tooLarge }),
		ends: oneFails,
		says: large,
		appliesTo: oneOfEach,
	},
	{
		name: 'slow answers',
		arm: strike({ delayMs: 50 }, 2),
		ends: allWell,
		appliesTo: oneOfEach,
	},
	{
		name: 'JSON with the content type of a web page',
		arm: strike({ answerHeaders: { 'content-type': 'text/html' } }, unlimited),
		ends: allWell,
		appliesTo: oneOfEach,
	},
	{
		name: 'an answer that claims to be gzip',
		arm: strike({ answerHeaders: { 'content-encoding': 'gzip' } }),
		ends: passing,
		says: unclear,
		appliesTo: oneOfEach,
	},
	{
		name: 'a body that never ends',
		arm: strike({ raw: drip }),
		ends: passing,
		says: unclear,
		isSlow: true,
	},
];

const pages: FaultRow[] = [
	{
		name: 'a total that is too high',
		arm: strike({ page: (page) => ({ ...page, total: page.total + 7 }) }, unlimited),
		ends: allFail,
		says: /The list is incomplete.*Run it again/s,
		appliesTo: isLong,
	},
	{
		name: 'a total that is too low',
		arm: strike({ page: (page) => ({ ...page, total: 5 }) }, unlimited),
		ends: allWell,
		appliesTo: isLong,
	},
	{
		name: 'a total in the billions',
		arm: strike({ page: (page) => ({ ...page, total: 2e9 }) }, unlimited),
		ends: allFail,
		// Reading the list three times costs dozens of requests, so several items would wait for the rate limit.
		items: 1,
		says: /The list is incomplete.*Run it again/s,
		appliesTo: isLong,
	},
	{
		name: 'a negative total',
		arm: strike({ page: (page) => ({ ...page, total: -1 }) }, unlimited),
		ends: allWell,
		appliesTo: isLong,
	},
	{
		name: 'a list that grows faster than it is read',
		arm: (world, row) => {
			let served = 0;
			const page = (envelope: ListEnvelope) => {
				const data = Array.from({ length: 5_000 }, () => ({ id: `${(served += 1)}` }));
				return { ...envelope, data, total: served + 5_000 };
			};
			strike({ page }, unlimited)(world, row);
		},
		ends: allFail,
		items: 1,
		says: /The list is incomplete.*Run it again/s,
		appliesTo: isLong,
	},
	{
		name: 'a page that comes twice',
		arm: ({ sandbox, targets }, { struck }) =>
			sandbox.fail({
				match: struck,
				skip: 1,
				kind: { page: (page) => ({ ...page, data: page.data.map(() => targets[0]) }) },
			}),
		ends: allWell,
		appliesTo: isLong,
	},
	{
		name: 'a page that is missing',
		arm: strike({ page: (page) => ({ ...page, data: [] }) }, 1, 1),
		ends: allWell,
		appliesTo: isLong,
	},
	{
		name: 'pages half as long as asked for',
		arm: strike({ page: (page) => ({ ...page, data: page.data.slice(0, 50) }) }, unlimited),
		ends: allWell,
		appliesTo: isLong,
	},
];

const outages: FaultRow[] = [
	{
		name: 'no answer for more than a minute',
		arm: strike({ delayMs: 61_000 }),
		ends: passing,
		says: unclear,
		isSlow: true,
	},
	{
		name: 'the key revoked after the first request',
		arm: (world, row) => strike({ meanwhile: () => world.sandbox.revokeKey() }, 1)(world, row),
		ends: open,
		says: /The API key was not accepted.*Open the credential/s,
	},
	{
		name: 'the service restarted after the first request',
		arm: (world, row) =>
			strike({ meanwhile: () => void world.sandbox.restart(400) }, 1)(world, row),
		// A request that is sent at most once is not retried if the restart broke its connection.
		ends: ({ once }) => (once ? 'open' : 'all well'),
		says: /may have taken effect|Nothing was sent/,
		isSlow: true,
	},
];

export const nothing: FaultRow = { name: 'nothing', arm: () => {}, ends: allWell };

/** A second run cannot delete what is already deleted, and its item says so. */
const endingAgain: FaultRow['ends'] = ({ struck }) =>
	struck.method === 'DELETE' ? 'open' : 'all well';

/** n8n is killed during all runs at once, and some of them run again. `ends` is about the second run. */
export const n8nKilled: FaultRow = {
	name: 'n8n killed after the first request',
	arm: () => {},
	ends: endingAgain,
	doneBefore: /does not exist/,
};

/** Every fault within one run; `n8nKilled` is separate. */
export const faultRows: FaultRow[] = [
	nothing,
	...drops,
	...statuses,
	...refusals,
	...answers,
	...pages,
	...outages,
];

/** How many items are expected to fail; undefined if only the state of the service tells. */
export function expectedFailures(fault: FaultRow, row: OperationRow): number | undefined {
	const ending = fault.ends(row);
	if (ending === 'open') return undefined;
	if (ending === 'one fails') return 1;
	return ending === 'all fail' ? itemsOf(fault, row) : 0;
}

export const itemsOf = ({ items = ITEMS }: FaultRow, { waits }: OperationRow) =>
	waits ? 1 : items;
