import type { INodeParameters } from 'n8n-workflow';

import type { Contact } from '../sandbox';
import { runNode } from './runNode';
import { addContacts, chosen, patientRuntime, sent, useSandbox } from './support';

const sandbox = useSandbox();
let contacts: Contact[];
beforeEach(() => {
	contacts = addContacts(sandbox, 5);
});

const send: INodeParameters = {
	resource: 'message',
	operation: 'sendTemplate',
	contactId: chosen('id', '={{ $json.id }}'),
	template: chosen('name', 'welcome'),
};
const enroll: INodeParameters = {
	resource: 'automation',
	operation: 'enroll',
	automationId: chosen('id', 'aut_win_back'),
	contactId: chosen('id', '={{ $json.id }}'),
};
const items = () => contacts.map(({ id, name }) => ({ id, given: name }));
const reached = () => sandbox.store.sentMessages.map(({ contact_id }) => contact_id);
const enrolled = () => sandbox.store.enrolments.map(({ contact_id }) => contact_id);
const ids = (...indexes: number[]) => indexes.map((index) => contacts[index].id);

describe('many items', () => {
	test('are done one after the other, in their order, each output linked to its input', async () => {
		const { output } = await runNode(sandbox, { parameters: send, items: items() });
		expect(reached()).toEqual(ids(0, 1, 2, 3, 4));
		expect(output).toMatchObject(
			contacts.map(({ id }, item) => ({ json: { contact_id: id }, pairedItem: { item } })),
		);
	});

	test('of none at all make no request', async () => {
		const { output, error } = await runNode(sandbox, { parameters: send, items: [] });
		expect([output, error]).toEqual([[], undefined]);
		expect(sandbox.requests).toEqual([]);
	});

	test('stop at the first that fails: no later message is sent', async () => {
		contacts[2].opt_in_status = 'opted_out';
		const { error, output } = await runNode(sandbox, { parameters: send, items: items() });
		expect(error?.httpCode).toBe('409');
		expect(error?.message).toMatch(/ \[item 3\]$/);
		expect(error?.context.itemIndex).toBe(2);
		expect(output).toEqual([]);
		expect(reached()).toEqual(ids(0, 1));
		expect(sandbox.requests).toHaveLength(3);
	});

	test('are all done when the node continues; those that fail go to the error output', async () => {
		contacts[1].opt_in_status = 'opted_out';
		sandbox.store.rules.platformRejects.set(contacts[3].id, 'number not on the platform');
		const { error, output, failedOutput } = await runNode(sandbox, {
			parameters: send,
			items: [...items(), { id: 'abc', given: null }],
			onError: 'continueErrorOutput',
		});
		expect(error).toBeUndefined();
		expect(reached()).toEqual(ids(0, 2, 4));
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 2 },
			{ item: 4 },
		]);
		expect(failedOutput).toEqual([
			{
				json: {
					id: contacts[1].id,
					given: 'Contact 1',
					error: 'This contact has opted out, so no message was sent [item 2]',
					statusCode: 409,
					description: expect.stringContaining('contact has opted out'),
				},
				pairedItem: { item: 1 },
			},
			{
				json: {
					id: contacts[3].id,
					given: 'Contact 3',
					error: 'The messaging platform rejected the message [item 4]',
					statusCode: 502,
					description: expect.stringContaining('number not on the platform'),
				},
				pairedItem: { item: 3 },
			},
			{
				json: {
					id: 'abc',
					given: null,
					error: '"abc" is not a contact ID [item 6]',
					description: expect.stringContaining('A contact ID looks like'),
				},
				pairedItem: { item: 5 },
			},
		]);
	});

	test('are all done when the node continues with its regular output, in order', async () => {
		contacts[1].opt_in_status = 'opted_out';
		const { output } = await runNode(sandbox, {
			parameters: send,
			items: items(),
			onError: 'continueRegularOutput',
		});
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3, 4].map((item) => ({ item })),
		);
		expect(output[1].json.error).toBe(
			'This contact has opted out, so no message was sent [item 2]',
		);
		expect(reached()).toEqual(ids(0, 2, 3, 4));
	});

	test('do not wait for one another in vain: a bad credential fails all at once', async () => {
		const { json, failed } = await runNode(sandbox, {
			parameters: send,
			items: items(),
			onError: 'continueErrorOutput',
			credential: { baseUrl: 'http://crm.example.com' },
		});
		expect(json).toEqual([]);
		expect(failed).toHaveLength(items().length);
		expect(failed[0].error).toMatch(/^The base URL starts with http:\/\//);
		expect(sandbox.requests).toEqual([]);
	});

	test('twice the same item in one run are two messages', async () => {
		const [first] = items();
		await runNode(sandbox, {
			parameters: send,
			items: [first, first],
		});
		expect(reached()).toEqual(ids(0, 0));
	});
});

describe('Retry On Fail', () => {
	const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 5 };

	test('sends no message twice, though n8n runs all items again', async () => {
		contacts[3].opt_in_status = 'opted_out';
		const { error } = await runNode(sandbox, {
			parameters: send,
			items: items(),
			settings,
		});
		expect(error?.message).toBe('This contact has opted out, so no message was sent [item 4]');
		expect(reached()).toEqual(ids(0, 1, 2));
		expect(sent(sandbox).map(({ body }) => (body as { contact_id: string }).contact_id)).toEqual(
			ids(0, 1, 2, 3, 3, 3),
		);
	});

	test('goes on where it failed once it works, and all outputs are there', async () => {
		sandbox.fail({ skip: 2, times: 2, kind: { status: 402, detail: 'limit reached' } });
		const { error, output } = await runNode(sandbox, {
			parameters: send,
			items: items(),
			settings,
		});
		expect(error).toBeUndefined();
		expect(reached()).toEqual(ids(0, 1, 2, 3, 4));
		expect(sandbox.requests).toHaveLength(7);
		expect(output).toMatchObject(
			sandbox.store.sentMessages.map(({ id, contact_id }, item) => ({
				json: { id, contact_id },
				pairedItem: { item },
			})),
		);
	});

	test.each(['beforeEffect', 'afterEffect'] as const)(
		'does not repeat a message of which nobody knows whether it went out (%s)',
		async (drop) => {
			sandbox.fail({ skip: 1, kind: { drop } });
			const { error } = await runNode(sandbox, {
				parameters: send,
				items: items(),
				settings,
			});
			expect(error?.description).toContain('The request may have taken effect');
			expect(sandbox.requests).toHaveLength(2);
			expect(reached()).toEqual(drop === 'afterEffect' ? ids(0, 1) : ids(0));
		},
	);

	test('enrols no contact twice', async () => {
		sandbox.fail({ skip: 1, times: 1, kind: { status: 402 } });
		const { error, json } = await runNode(sandbox, {
			parameters: enroll,
			items: items(),
			settings,
		});
		expect(error).toBeUndefined();
		expect(json).toHaveLength(5);
		expect(enrolled()).toEqual(ids(0, 1, 2, 3, 4));
		expect(sandbox.requests).toHaveLength(6);
	});

	test('of another execution sends again, as it is meant', async () => {
		const run = { parameters: send, items: items().slice(0, 1) };
		await runNode(sandbox, run);
		await runNode(sandbox, run);
		expect(reached()).toEqual(ids(0, 0));
	});

	test('repeats what may be repeated', async () => {
		const { runtime } = patientRuntime();
		sandbox.fail({ times: 3, kind: { status: 500 } });
		const { error, json } = await runNode(sandbox, {
			parameters: { resource: 'workspace', operation: 'get' },
			settings,
			runtime,
		});
		expect(error).toBeUndefined();
		expect(json).toHaveLength(1);
		expect(sandbox.requests).toHaveLength(4);
	});

	test('with a node that continues sends each message once', async () => {
		contacts[1].opt_in_status = 'opted_out';
		const { failed } = await runNode(sandbox, {
			parameters: send,
			items: items(),
			settings,
			onError: 'continueErrorOutput',
		});
		expect(failed).toHaveLength(1);
		expect(reached()).toEqual(ids(0, 2, 3, 4));
	});
});

test('a key that is refused is not tried again for the other items', async () => {
	sandbox.revokeKey();
	const { failed } = await runNode(sandbox, {
		parameters: { resource: 'workspace', operation: 'get' },
		items: [{ n: 0 }, { n: 1 }, { n: 2 }],
		onError: 'continueErrorOutput',
	});
	sandbox.restoreKey();
	expect(failed.map(({ n, statusCode }) => [n, statusCode])).toEqual([
		[0, 401],
		[1, 401],
		[2, 401],
	]);
	expect(sandbox.requests).toHaveLength(1);
});
