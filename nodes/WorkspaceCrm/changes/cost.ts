import { isJsonObject } from '../domain/json';
import { MAX_PAGE_SIZE } from '../api/pagination';
import { REFERENCE_RULE } from '../api/rateLimiter';

const MINUTES = {
	everyMinute: 1,
	everyHour: 60,
	everyDay: 1_440,
	everyWeek: 10_080,
	everyMonth: 43_200,
};

/** How many requests it takes to read a list once. */
function requestsFor(contacts: number): number {
	return Math.max(1, Math.ceil(contacts / MAX_PAGE_SIZE));
}

/** What watching a list costs, in one sentence for people. */
export function costText(contacts: number, pollTimes: unknown): string {
	const requests = requestsFor(contacts);
	const reading = `Reading ${count(contacts, 'contact')} takes ${count(requests, 'request')} a poll.`;
	const minutes = intervalMinutes(pollTimes);
	if (minutes === undefined) return reading;
	const perMinute = requests / minutes;
	const { limit } = REFERENCE_RULE;
	const share = `At a poll every ${count(minutes, 'minute')}, that is ${round(perMinute)} of the ${limit} requests a minute that the service allows for the API key.`;
	const slower = Math.ceil(requests / (limit / 4));
	const advice =
		perMinute > limit / 2 ? ` Poll every ${count(slower, 'minute')} or less often.` : '';
	return `${reading} ${share}${advice}`;
}

/**
 * The average time between polls, by n8n's Poll Times; undefined if they hold a cron expression, which
 * can mean anything.
 */
export function intervalMinutes(pollTimes: unknown): number | undefined {
	const items: unknown = isJsonObject(pollTimes) ? pollTimes.item : undefined;
	if (!Array.isArray(items) || items.length === 0) return undefined;
	const intervals = items.map(minutesOf);
	const perMinute = intervals.reduce((sum: number, minutes) => sum + 1 / (minutes ?? NaN), 0);
	return Number.isNaN(perMinute) ? undefined : round(1 / perMinute);
}

function minutesOf(item: unknown): number | undefined {
	if (!isJsonObject(item)) return undefined;
	const { mode, value, unit } = item;
	if (mode === 'everyX' && typeof value === 'number') return unit === 'hours' ? value * 60 : value;
	return Object.entries(MINUTES).find(([name]) => name === mode)?.[1];
}

function round(value: number): number {
	return value >= 10 ? Math.round(value) : Math.round(value * 10) / 10;
}

function count(value: number, what: string): string {
	return `${value.toLocaleString('en')} ${what}${value === 1 ? '' : 's'}`;
}
