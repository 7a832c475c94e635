import type { Contact } from '../../tools/sandbox';
import { sendParameters } from './parameters';
import { runNode } from '../../tools/engine/runNode';
import { addContacts, chosen, useSandbox } from './support';

const sandbox = useSandbox();
let contacts: Contact[];
beforeEach(() => {
	contacts = addContacts(sandbox, 5);
});

const send = sendParameters(chosen('id', '={{ $json.id }}'));
const items = () => contacts.map(({ id, name }) => ({ id, given: name }));
const reached = () => sandbox.store.sentMessages.map(({ contact_id }) => contact_id);
const ids = (...indexes: number[]) => indexes.map((index) => contacts[index].id);

describe('many items', () => {
	test('are sent one after the other, in order, each output linked to its input', async () => {
		const { output } = await runNode(sandbox, { parameters: send, items: items() });
		expect(reached()).toEqual(ids(0, 1, 2, 3, 4));
		expect(output).toMatchObject(
			contacts.map(({ id }, item) => ({ json: { contact_id: id }, pairedItem: { item } })),
		);
	});

	test('may be none, and then make no request', async () => {
		const { output, error } = await runNode(sandbox, { parameters: send, items: [] });
		expect([output, error]).toEqual([[], undefined]);
		expect(sandbox.requests).toEqual([]);
	});

	test('stop at the first failure: no later message is sent', async () => {
		contacts[2].opt_in_status = 'opted_out';
		const { error, output } = await runNode(sandbox, { parameters: send, items: items() });
		expect(error?.httpCode).toBe('409');
		expect(error?.message).toMatch(/ \[item 3\]$/);
		// From this, n8n's editor adds an item of its own to the message, counted from 0.
		expect(error?.context.itemIndex).toBeUndefined();
		expect(output).toEqual([]);
		expect(error?.description).toMatch(
			/^2 of 5 items were done\. To skip such contacts, set 'If Opted Out'/,
		);
		expect(reached()).toEqual(ids(0, 1));
		// After a conflict, the contact says whether it is an opt-out.
		expect(sandbox.requests).toHaveLength(4);
	});

	test('are all done if the node continues, and failed ones go to the error output', async () => {
		contacts[1].opt_in_status = 'opted_out';
		sandbox.store.rules.platformRejects.set(contacts[3].id, 'number not on the platform');
		const input = [...items(), { id: 'abc', given: null }];
		const { error, output, failedOutput } = await runNode(sandbox, {
			parameters: send,
			items: input,
			onError: 'continueErrorOutput',
		});
		expect(error).toBeUndefined();
		expect(reached()).toEqual(ids(0, 2, 4));
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 2 },
			{ item: 4 },
		]);
		const failed: Array<[number, string, string, number?]> = [
			[1, 'This contact has opted out, so no message was sent', 'contact has opted out', 409],
			[3, 'The messaging platform rejected the message', 'number not on the platform', 502],
			[5, '"abc" is not a contact ID', 'A contact ID looks like'],
		];
		expect(failedOutput).toEqual(
			failed.map(([item, error, description, statusCode]) => ({
				json: {
					...input[item],
					result: 'failed',
					code: null,
					reason: expect.stringContaining(`${error}. `) as string,
					message_key: null,
					error: `${error} [item ${item + 1}]`,
					errorDetails: {
						description: expect.stringContaining(description) as string,
						...(statusCode && { statusCode }),
					},
				},
				pairedItem: { item },
			})),
		);
	});

	test('are all done in order if the node continues with its regular output', async () => {
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
		expect(Object.keys(output[1].json).sort()).toEqual([
			'code',
			'error',
			'errorDetails',
			'message_key',
			'reason',
			'result',
		]);
		expect(reached()).toEqual(ids(0, 2, 3, 4));
	});

	test('get two messages if an item is there twice', async () => {
		const [first] = items();
		await runNode(sandbox, {
			parameters: send,
			items: [first, first],
		});
		expect(reached()).toEqual(ids(0, 0));
	});
});
