import type { IDataObject } from 'n8n-workflow';

import { createRuntime } from '../../nodes/WorkspaceCrm/api/runtime';
import type { LimiterOptions } from '../sandbox';
import { delay } from '../support/platform';
import { messagesTo, runCampaign } from './campaignNode';
import { PollHost } from './pollHost';
import { addContacts, scaledClock, useSandbox } from './support';

/**
 * Polls beside a campaign with the same key: later, never wrong. With 10,000 contacts in place of 2,500 it
 * is the same, and takes a minute.
 */
const CONTACTS = 2_500;
const FACTOR = 60;
const MINUTE_MS = 60_000 / FACTOR;
const clock = scaledClock(FACTOR);
const sandbox = useSandbox({ clock });

test.each<[string, LimiterOptions]>([
	['that counts in a window', { kind: 'sliding' }],
	['with a bucket of 120', { kind: 'tokenBucket', burst: 120 }],
])('at a service %s', async (_name, limiter) => {
	sandbox.setLimiter(limiter);
	const contacts = addContacts(sandbox, CONTACTS, { opt_in_status: 'confirmed' });
	const changed = contacts.filter((_contact, index) => index % 100 === 7);
	const receivers = contacts.slice(0, 120);
	let isAlone = false;
	// While the campaign runs, a poll has its time and no more; afterwards a slow machine has its own.
	const signalAfter = (delayMs: number) =>
		AbortSignal.timeout(isAlone || delayMs >= 60_000 ? 60_000 : delayMs / FACTOR);
	const runtime = createRuntime({ ...clock, signalAfter });
	const host = new PollHost(sandbox, {
		parameters: {
			watch: 'all',
			events: ['consentChanged', 'entered', 'erased', 'tagAdded', 'tagRemoved', 'updated'],
			fields: ['attributes', 'last_inbound_at', 'locale', 'name', 'source'],
		},
		runtime,
	});
	isAlone = true;
	await host.publish();
	isAlone = false;

	// The marks of the campaign are no changes, also of the contacts that change.
	changed.forEach((contact) => (contact.name = 'Changed'));
	let isOver = false;
	const campaign = runCampaign(sandbox, receivers, { runtime }).finally(() => (isOver = true));
	while (!isOver) {
		await Promise.all([host.poll(), Promise.race([delay(MINUTE_MS), campaign])]);
	}
	const { statuses } = await campaign;
	expect(statuses).toEqual(receivers.map(() => 'sent'));
	expect(receivers.map((each) => messagesTo(sandbox, each))).toEqual(receivers.map(() => 1));
	isAlone = true;
	await host.poll(2);

	expect(host.events.map(({ event, contact }) => [event, (contact as IDataObject).id])).toEqual(
		changed.map(({ id }) => ['updated', id]),
	);
	const tooSlow = 'The service did not answer within the time limit of a poll';
	expect(host.errors.filter(({ message }) => message !== tooSlow)).toEqual([]);
});
