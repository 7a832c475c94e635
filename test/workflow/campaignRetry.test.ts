import type { FaultKind } from '../sandbox';
import { runNode } from './runNode';
import { addContacts, chosen, patientRuntime, useSandbox } from './support';

/** Send Campaign with n8n's Retry On Fail, where it is not clear whether a contact was marked. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });

async function run(kind: FaultKind) {
	const contacts = addContacts(sandbox, 3, { opt_in_status: 'confirmed' });
	// All tries of one request to mark a contact.
	sandbox.fail({ match: { path: contacts[1].id }, times: 3, kind });
	return await runNode(sandbox, {
		parameters: {
			resource: 'message',
			operation: 'sendCampaign',
			contactId: chosen('id', '={{ $json.id }}'),
			campaignKey: 'spring',
			template: chosen('name', 'welcome'),
		},
		items: contacts.map(({ id }) => ({ id })),
		settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 5 },
		runtime: patientRuntime().runtime,
	});
}

test('a contact that was marked after all, and got no message, stays a failure', async () => {
	const { error, json } = await run({ status: 500, afterEffect: true });
	expect(json).toEqual([]);
	expect(error?.message).toMatch('1 of 3 items failed');
	expect(error?.description).toMatch('The contact could not be marked, so no message was sent');
	expect(error?.description).toMatch('3 items: 2 sent, 1 failed.');
	expect(sandbox.store.sentMessages).toHaveLength(2);
});

test('a contact that was not marked gets its message in the next try', async () => {
	const { json } = await run({ status: 500 });
	expect(json).toHaveLength(3);
	expect(json.map(({ campaign }) => campaign)).toMatchObject([
		{ status: 'sent' },
		{ status: 'sent' },
		{ status: 'sent' },
	]);
	expect(sandbox.store.sentMessages).toHaveLength(3);
});
