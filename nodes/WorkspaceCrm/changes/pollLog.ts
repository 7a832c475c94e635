import type { IPollFunctions } from 'n8n-workflow';

import type { Baseline } from './baseline';
import { costText } from './cost';
import { READINGS_IF_MANY } from './missing';
import type { Outcome } from './pollOnce';
import { toNodeError } from '../operations/nodeErrors';

/** Writes into n8n's log what a poll cost, and what it did not find out. */
export function logOutcome(
	context: IPollFunctions,
	baseline: Baseline,
	{ failure, end, waitsFor, unasked = 0 }: Outcome,
	wasTakingStock: boolean,
): void {
	const { logger } = context;
	const known = baseline.entries.size;
	const say = (text: string) => `Workspace CRM Changes Trigger: ${text}`;
	if (wasTakingStock && !baseline.isTakingStock) {
		logger.info(
			say(`Stock is taken. ${costText(known, context.getNodeParameter('pollTimes', {}))}`),
		);
	}
	if (end === 'paused') {
		logger.info(
			say(
				`The time of this poll was over after ${baseline.reading.found} contacts. The next poll reads on.`,
			),
		);
	}
	if (end === 'incomplete') {
		logger.warn(
			say(
				'The list changed while it was read, or the service counts more contacts than it gives. What was read is compared; nobody is taken to be missing.',
			),
		);
	}
	if (waitsFor !== undefined) {
		logger.warn(
			say(
				`${waitsFor} of ${known} contacts are missing at once. They count as gone only after ${READINGS_IF_MANY} complete readings without them.`,
			),
		);
	}
	if (unasked > 0) {
		logger.info(say(`${unasked} missing contacts are still to be asked for, in the next polls.`));
	}
	if (failure !== undefined) {
		const { message, description } = toNodeError(context.getNode(), failure);
		logger.warn(say(`A request failed: ${message}. ${description ?? ''} The next poll goes on.`));
	}
}
