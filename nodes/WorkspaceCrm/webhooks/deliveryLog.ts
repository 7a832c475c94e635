import type { IWebhookFunctions } from 'n8n-workflow';

import { plainText } from '../domain/text';
import type { Clock } from '../n8n/clock';

const BETWEEN_LINES_MS = 60_000;
const MAX_CHARACTERS = 200;

/**
 * Writes into n8n's log what became of deliveries. Anybody can send anything to a webhook, so of each
 * kind of line, one a minute is written, with a count of those left out.
 */
export class DeliveryLog {
	private readonly kinds = new Map<string, { writtenAtMs: number; leftOut: number }>();

	/** @param what without anything that the sender wrote, which goes into the detail */
	warn(context: IWebhookFunctions, clock: Clock, what: string, detail = ''): void {
		const { name } = context.getNode();
		const line = `Workspace CRM: A delivery to the node '${plainText(name, MAX_CHARACTERS)}' of the workflow ${context.getWorkflow().id} ${what}`;
		const nowMs = clock.elapsedMs();
		const last = this.kinds.get(line);
		if (last && nowMs - last.writtenAtMs < BETWEEN_LINES_MS) {
			last.leftOut += 1;
			return;
		}
		this.kinds.set(line, { writtenAtMs: nowMs, leftOut: 0 });
		const said = detail && ` (${plainText(detail, MAX_CHARACTERS)})`;
		const more = last?.leftOut
			? ` (and ${last.leftOut} more like it since the last such line)`
			: '';
		context.logger.warn(`${line}${said}${more}`);
	}
}
