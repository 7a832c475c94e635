import { limiterKinds } from '../../unit/api/limiterKinds';
import { outcomesOf, type Outcome } from '../../unit/api/simulatedRun';
import { count, percent, seconds, times } from '../output/numbers';
import type { Table } from '../output/table';
import { measureOurs, MOST_REFUSED, type Service } from './limiters';

const FROM = 121;
const TO = 1_500;
const FOR_REAL = 5;
const PAIR_ROWS = 150;
const MOST_PAIR_RATIO = 1.15;

interface Worst extends Outcome {
	service: Service;
	mostRefused: Outcome;
}

const pairs: Service[] = [
	{ name: 'Any minute', limiter: { kind: 'sliding' }, processes: 2, rows: PAIR_ROWS },
	{
		name: 'Token bucket of 20',
		limiter: { kind: 'tokenBucket', burst: 20 },
		processes: 2,
		rows: PAIR_ROWS,
	},
];

/** The rate limiter with every number of requests, simulated; the worst of them for real. */
export async function measureLimiterCounts(): Promise<Table> {
	const worst: Worst[] = [];
	for (const kind of limiterKinds) {
		const outcomes = await outcomesOf(kind, FROM, TO);
		const latest = maxBy(outcomes, ({ lateMs }) => lateMs);
		const service: Service = { ...kind, processes: 1, rows: latest.requests };
		worst.push({ ...latest, service, mostRefused: maxBy(outcomes, ({ share }) => share) });
	}
	const forReal = [...worst].sort((a, b) => b.lateMs - a.lateMs).slice(0, FOR_REAL);
	const services = [...forReal.map(({ service }) => service), ...pairs];
	const readings = await measureOurs(services);
	const readingOf = (service: Service) => readings[services.indexOf(service)];

	const realCells = (service: Service) => {
		const reading = readingOf(service);
		if (!reading) return ['–', '–', '–'];
		return [
			seconds(reading.elapsedMs),
			times(reading.ratio),
			percent(reading.refused / reading.requests),
		];
	};
	const pairReadings = pairs.map((service) => readingOf(service));
	const mostLateMs = Math.max(...worst.map(({ lateMs }) => lateMs));
	const mostShare = Math.max(...worst.map(({ mostRefused }) => mostRefused.share));
	const mostPairRatio = Math.max(...pairReadings.map((reading) => reading?.ratio ?? NaN));
	return {
		title: `The rate limiter with ${FROM} to ${count(TO)} requests`,
		how: `Every number of requests from ${FROM} to ${TO}, with each kind of rate limiter, in a simulation of time: the row is the worst number, which takes longest beside 1.05 times the least possible time or 2 s more. Then the ${FOR_REAL} worst of these for real, as in the table before, and two processes with ${PAIR_ROWS} rows each. The times for real count what this machine needs twice.`,
		head: [
			'How the service counts',
			'Requests',
			'Least s',
			'Simulated: s',
			'/ least',
			'Most refused',
			'For real: s',
			'/ least',
			'Refused',
		],
		rows: [
			...worst.map(({ service, requests, leastMs, tookMs, factor, mostRefused }) => [
				service.name,
				`${requests}`,
				seconds(leastMs),
				seconds(tookMs),
				times(factor),
				percent(mostRefused.share),
				...realCells(service),
			]),
			...pairs.map((service) => [
				`${service.name}, two processes`,
				`2 × ${PAIR_ROWS}`,
				'–',
				'–',
				'–',
				'–',
				...realCells(service),
			]),
		],
		requirements: [
			{
				text: 'every number of requests, simulated: at most 1.05 times the least time, or 2 s more',
				measured: `at most ${seconds(Math.max(0, mostLateMs))} s longer`,
				isMet: mostLateMs <= 0,
			},
			{
				text: `every number of requests, simulated: less than ${percent(MOST_REFUSED)} refused`,
				measured: `at most ${percent(mostShare)}`,
				isMet: mostShare < MOST_REFUSED,
			},
			{
				text: `two processes with ${PAIR_ROWS} rows each: at most ${MOST_PAIR_RATIO} times the least time`,
				measured: `at most ${times(mostPairRatio)}`,
				isMet: mostPairRatio <= MOST_PAIR_RATIO,
			},
		],
	};
}

function maxBy(outcomes: Outcome[], valueOf: (outcome: Outcome) => number): Outcome {
	return outcomes.reduce((most, each) => (valueOf(each) > valueOf(most) ? each : most));
}
