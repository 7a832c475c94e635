import { InputProblem, quoted } from '../../../domain/inputProblem';
import { DAY_MS, MINUTE_MS, parseZonedMs } from '../../../domain/time';

/** The last minute of a question counts as over, and n8n checks waiting executions once a minute. */
const MIN_LIMIT_MS = 2 * MINUTE_MS;
const UNIT_MS = { minutes: MINUTE_MS, hours: 60 * MINUTE_MS, days: DAY_MS };

/** The subscription of a crashed execution uses up one of the 20 places until its wait would be over. */
const MAX_WAIT_DAYS = 30;

/** The values of the fields that limit a wait, with the names that n8n uses. */
export interface ChosenLimit {
	limitType: 'afterTimeInterval' | 'atSpecifiedTime';
	resumeAmount: number;
	resumeUnit: keyof typeof UNIT_MS;
	maxDateAndTime: string;
}

/**
 * Returns the end of the wait, in milliseconds since 1970.
 *
 * @param now with the workflow's IANA time zone, and its setting 'Timeout Workflow' if it is on
 * @throws InputProblem for a limit below two minutes or above 30 days, or one beyond the timeout of the
 * workflow
 */
export function readWaitLimit(
	chosen: ChosenLimit,
	now: { nowMs: number; timeZone: string; workflowTimeoutMs?: number },
): number {
	const { nowMs, timeZone, workflowTimeoutMs = Infinity } = now;
	const isInterval = chosen.limitType === 'afterTimeInterval';
	const waitMs = isInterval
		? chosen.resumeAmount * UNIT_MS[chosen.resumeUnit]
		: readDate(chosen.maxDateAndTime, timeZone) - nowMs;
	if (!(waitMs >= MIN_LIMIT_MS)) {
		throw new InputProblem(
			isInterval
				? "The limit in 'Limit Wait Time' is shorter than two minutes"
				: `'Max Date and Time' is ${quoted(chosen.maxDateAndTime)}, which is in the past or less than two minutes away`,
			`${NOTHING_SENT} Give the contact more time: n8n checks only once a minute whether the time is up.`,
		);
	}
	if (waitMs > MAX_WAIT_DAYS * DAY_MS) {
		throw new InputProblem(
			`The limit in 'Limit Wait Time' is longer than ${MAX_WAIT_DAYS} days`,
			`${NOTHING_SENT} Each wait takes up one of the workspace's webhook subscriptions. For longer waits, see the example ask-many.json in the documentation of this node.`,
		);
	}
	if (waitMs >= workflowTimeoutMs) {
		throw new InputProblem(
			"The workflow's 'Timeout Workflow' ends it before the wait is over",
			`${NOTHING_SENT} At the timeout, n8n would cancel the execution instead of going on without a reply. In the workflow's settings, turn 'Timeout Workflow' off or set it to more than the limit of the wait.`,
		);
	}
	return Math.ceil(nowMs + waitMs);
}

export const NOTHING_SENT = 'No message was sent.';

function readDate(text: string, timeZone: string): number {
	const ms = parseZonedMs(text, timeZone);
	if (!Number.isNaN(ms)) return ms;
	throw new InputProblem(
		text.trim() === '' ? "'Max Date and Time' is empty" : `'Max Date and Time' is ${quoted(text)}`,
		`${NOTHING_SENT} Enter a date and a time, such as 2030-01-31T18:00.`,
	);
}
