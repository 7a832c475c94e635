import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runNode } from '../../tools/engine/runNode';
import { resultIn } from './marks';
import { sendParameters } from './parameters';
import { processInTime } from './shutDoor';
import { addContacts, chosen, useSandbox } from './support';

/** Whatever sends or skips says so in the same fields, also of failed items. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const contactId = chosen('id', '={{ $json.id }}');
const post = { method: 'POST' };
const mark = { method: 'PATCH' };

const OPERATIONS: Array<[name: string, parameters: INodeParameters, done: string]> = [
	['Send Template', sendParameters(contactId), 'sent'],
	['with Campaign Key', sendParameters(contactId, { options: { campaignKey: 'spring' } }), 'sent'],
	['with Send Once Key', sendParameters(contactId, { options: { sendOnceKey: 'o-1' } }), 'sent'],
	[
		'Enroll Contact',
		{
			resource: 'automation',
			operation: 'enroll',
			contactId,
			automationId: chosen('id', 'aut_vip_care'),
		},
		'enrolled',
	],
];

/** The user's own columns have the names of ours. */
const columns = { code: 'VIP', reason: 'Fair', message_key: 'mine', result: 'won' };

async function run(parameters: INodeParameters, ids: string[]) {
	const items: IDataObject[] = ids.map((id) => ({ id, ...columns }));
	const options = { onError: 'continueErrorOutput', runtime: processInTime() } as const;
	const { json, failed } = await runNode(sandbox, { parameters, items, ...options });
	return { done: json.map(resultIn), failed: failed.map(resultIn), json };
}

describe.each(OPERATIONS)('%s says', (_name, parameters, done) => {
	const people = (count: number) =>
		addContacts(sandbox, count, { opt_in_status: 'confirmed' }).map(({ id }) => id);

	test('that it was done, beside what the service says', async () => {
		const given = await run(parameters, people(1));
		expect(given.done).toMatchObject([{ result: done }]);
		expect(Object.keys(given.json[0])[0]).toBe('result');
		expect(given.done[0]).not.toHaveProperty('code');
		expect(given.done[0]?.message_key).not.toBe('mine');
	});

	test('so in place of the words of the service', async () => {
		sandbox.fail({ match: post, kind: { status: 202, body: '{ "result": "no", "id": "7" }' } });
		const { json } = await run(parameters, people(1));
		expect(json).toMatchObject([{ result: done, id: '7' }]);
	});

	test('that it failed, and no column of the input passes for our code', async () => {
		sandbox.fail({ match: post, kind: { status: 422, detail: 'no' } });
		const { failed } = await run(parameters, people(1));
		const reason = expect.stringMatching(/\. .*\(HTTP 422\)/) as string;
		expect(failed).toEqual([{ result: 'failed', code: null, reason, message_key: null }]);
	});

	test('that it is unclear, and of those that were not tried that they failed', async () => {
		sandbox.fail({ match: post, times: 9, kind: { drop: 'afterEffect' } });
		const { failed } = await run(parameters, people(1));
		expect(failed).toMatchObject([{ result: 'unclear' }]);
		sandbox.reset();
		const ids = people(2);
		sandbox.fail({ match: { path: '/' }, times: 99, kind: { status: 401 } });
		const { failed: refused } = await run(parameters, ids);
		expect(refused.map((each) => each?.result)).toEqual(['failed', 'failed']);
	});

	test('of an item that cannot be read that it failed', async () => {
		const { failed } = await run(parameters, ['x']);
		expect(failed).toMatchObject([{ result: 'failed', code: null }]);
		expect(failed[0]?.reason).toMatch(/^"x" is not a contact ID\. /);
	});
});

test('a contact that stays marked without a message failed, and is not tried again', async () => {
	const [contact] = addContacts(sandbox, 1, { opt_in_status: 'confirmed' });
	sandbox.fail({ match: post, kind: { status: 422 } });
	sandbox.fail({ match: mark, skip: 1, times: 99, kind: { status: 400 } });
	const { failed } = await runNode(sandbox, {
		parameters: sendParameters(contactId, { options: { campaignKey: 'spring' } }),
		items: [{ id: contact.id }],
		onError: 'continueErrorOutput',
		settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 5 },
		runtime: processInTime(),
	});
	expect(failed).toMatchObject([{ result: 'failed' }]);
	expect(failed[0].reason).toMatch(/^No message was sent, but the mark/);
	expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
});

test('whom a body of the user was sent to, it says', async () => {
	const [chosenOne, other] = addContacts(sandbox, 2, { opt_in_status: 'confirmed' });
	const body = { contact_id: other.id, template: 'welcome' };
	const options = { bodyMode: 'replace', body: JSON.stringify(body) };
	const { json } = await runNode(sandbox, {
		parameters: sendParameters(contactId, { options: { ...options, onlyConfirmed: true } }),
		items: [{ id: chosenOne.id }],
	});
	expect(json).toMatchObject([{ result: 'sent', contact_id: other.id }]);
});
