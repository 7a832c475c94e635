import type { INodeParameters } from 'n8n-workflow';

import type { Contact } from '../../tools/sandbox';
import { contactParameters } from './parameters';
import { detailsOf, runNode } from '../../tools/engine/runNode';
import { addContacts, chosen, useSandbox } from './support';

const sandbox = useSandbox({ limiter: { kind: 'off' } });
let contacts: Contact[];
beforeEach(() => {
	contacts = addContacts(sandbox, 12);
});

const get = contactParameters('get', chosen('id', '={{ $json.id }}'));
const upsert: INodeParameters = {
	resource: 'contact',
	operation: 'upsert',
	phone: '={{ $json.phone }}',
	additionalFields: { name: '={{ $json.name }}' },
};
const ids = () => contacts.map(({ id }) => ({ id }));

/** The most requests that were unanswered at the same time. */
function mostAtOnce(latencyMs: number): number {
	const times = sandbox.requests.map(({ atMs }) => atMs);
	return Math.max(
		...times.map((atMs) => times.filter((ms) => ms <= atMs && ms > atMs - latencyMs).length),
	);
}

describe('items that are safe to repeat', () => {
	test('run five at a time after the first, and outputs keep the order of the inputs', async () => {
		sandbox.setLatency(200);
		// the later an item, the sooner its answer
		sandbox.fail({ skip: 1, kind: { delayMs: 400 } });
		const { output } = await runNode(sandbox, { parameters: get, items: ids() });
		expect(output).toMatchObject(
			contacts.map(({ id }, item) => ({ json: { id }, pairedItem: { item } })),
		);
		expect(mostAtOnce(190)).toBe(5);
		expect(sandbox.requests[1].atMs - sandbox.requests[0].atMs).toBeGreaterThanOrEqual(195);
	});

	test('of one contact run in order, however its number is written', async () => {
		const phones = ['+1 212 400 0000', '0012124000000', '+12124000000', '+1 (212) 400-0000'];
		const rows = phones.map((phone, index) => ({ phone, name: `Name ${index}` }));
		const others = contacts.slice(1).map(({ phone }) => ({ phone, name: 'Other' }));
		// the first of them takes longest
		sandbox.fail({ skip: 1, kind: { delayMs: 300 } });
		const items = [others[0], ...rows, ...others.slice(1)];
		const { json } = await runNode(sandbox, { parameters: upsert, items });
		expect(json.map(({ name }) => name)).toEqual(items.map(({ name }) => name));
		const sentNames = sandbox.requests
			.map(({ body }) => (body as { name: string }).name)
			.filter((name) => name !== 'Other');
		expect(sentNames).toEqual(['Name 0', 'Name 1', 'Name 2', 'Name 3']);
		expect(sandbox.store.contacts.get(contacts[0].id)?.name).toBe('Name 3');
	});

	test('that fail together are reported by the first', async () => {
		const items = ids().map(({ id }, index) => ({ id: index === 3 || index === 5 ? 'x' : id }));
		const { error } = await runNode(sandbox, { parameters: get, items });
		expect(error?.message).toBe('"x" is not a contact ID [item 4]');
	});

	test('all go to their output if the node continues, even if one of a contact fails', async () => {
		const rows = [
			{ phone: contacts[0].phone, name: 'A' },
			{ phone: contacts[1].phone, name: 'B' },
			{ phone: contacts[1].phone, name: 'C' },
		];
		sandbox.fail({ skip: 1, kind: { status: 422, detail: 'no' } });
		const { json, failed } = await runNode(sandbox, {
			parameters: upsert,
			items: rows,
			onError: 'continueErrorOutput',
		});
		expect(json.map(({ name }) => name)).toEqual(['A', 'C']);
		expect(failed).toMatchObject([{ name: 'B', errorDetails: { statusCode: 422 } }]);
	});
});

test('items that cannot be undone run one by one', async () => {
	sandbox.setLatency(40);
	const parameters = { ...get, operation: 'delete', options: { maxContacts: 12 } };
	await runNode(sandbox, { parameters, items: ids() });
	expect(mostAtOnce(35)).toBe(1);
	expect(sandbox.store.contacts.size).toBe(0);
});

const update = contactParameters('update', chosen('id', '={{ $json.id }}'), {
	updateFields: { name: '={{ $json.name }}' },
});
const rename = (id: string, count: number) =>
	Array.from({ length: count }, (_, index) => ({ id, name: `Name ${index}` }));

describe('after a failure that ends the run', () => {
	test('nothing more is sent for the same contact', async () => {
		sandbox.fail({ skip: 1, kind: { status: 422 } });
		const items = rename(contacts[0].id, 8);
		const { error } = await runNode(sandbox, { parameters: update, items });
		expect(error?.message).toBe('The service did not accept the data: Fault 422 [item 2, Name 1]');
		expect(sandbox.requests).toHaveLength(2);
		expect(contacts[0].name).toBe('Name 0');
	});

	test('nothing more is sent for its contact, even if its item made no request', async () => {
		const parameters = { ...update, resource: 'tag', operation: 'add', tags: '={{ $json.tags }}' };
		const items = ['first', '', 'third', 'fourth'].map((tags) => ({ id: contacts[0].id, tags }));
		const { error } = await runNode(sandbox, { parameters, items });
		expect(error?.message).toMatch(/^No tag is given.* \[item 2\]$/);
		expect(sandbox.requests).toHaveLength(1);
	});

	test('nothing new starts for other contacts, and running items finish', async () => {
		sandbox.fail({ match: { method: 'POST' }, skip: 1, kind: { status: 422 } });
		// Items 3 and 4 are under way when item 2 fails; each has a second request to make.
		sandbox.fail({ match: { method: 'POST' }, skip: 1, times: 2, kind: { delayMs: 300 } });
		const parameters = {
			...upsert,
			additionalFields: { name: '={{ $json.name }}', locale: 'de' },
		};
		const lanes = [0, 1, 2, 3, 1, 2, 3, 4, 5];
		const items = lanes.map((index) => contacts[index]).map(({ phone }) => ({ phone }));
		const { error } = await runNode(sandbox, { parameters, items });
		expect(error?.message).toBe(
			'The service did not accept the data: Fault 422 [item 2, +12124000001]',
		);
		expect(contacts.map(({ locale }) => locale).slice(0, 6)).toEqual([
			'de',
			null,
			'de',
			'de',
			'de',
			'de',
		]);
		// For contacts with several items, no second item is started.
		expect(sandbox.requests).toHaveLength(11);
	});
});

describe('a refusal that affects every request', () => {
	test.each([401, 402])('of %i is sent once, and the other items say so', async (status) => {
		sandbox.fail({ skip: 1, times: Infinity, kind: { status, detail: 'no' } });
		const { json, failed } = await runNode(sandbox, {
			parameters: { ...get, operation: 'delete', options: { maxContacts: 12 } },
			items: ids(),
			onError: 'continueErrorOutput',
		});
		expect(json).toHaveLength(1);
		expect(sandbox.requests).toHaveLength(2);
		expect(failed.map((json) => detailsOf(json).statusCode)).toEqual(Array(11).fill(status));
		expect(failed[0].error).not.toMatch(/^Not tried/);
		expect(failed.slice(1).map(({ error }) => error)).toEqual(
			ids()
				.slice(2)
				.map((_, index) => `Not tried, because item 2 was refused [item ${index + 3}]`),
		);
		expect(detailsOf(failed[1]).description).toContain(
			String(failed[0].error).replace(' [item 2]', ''),
		);
		expect(detailsOf(failed[1]).description).toContain('The service says: "no"');
	});

	test('also stops items that waited for another one of their contact', async () => {
		sandbox.fail({ skip: 1, times: Infinity, kind: { status: 402 } });
		const { failed } = await runNode(sandbox, {
			parameters: update,
			items: rename(contacts[0].id, 8),
			onError: 'continueErrorOutput',
		});
		expect(failed).toHaveLength(7);
		expect(sandbox.requests).toHaveLength(2);
	});

	test('is sent once per try, and finished items stay finished', async () => {
		sandbox.fail({ skip: 3, times: Infinity, kind: { status: 402 } });
		const { error } = await runNode(sandbox, {
			parameters: { ...get, operation: 'delete', options: { maxContacts: 12 } },
			items: ids(),
			settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 5 },
		});
		expect(error?.message).toMatch(/^The plan of the workspace is inactive.* \[item 4\]$/);
		expect(sandbox.requests).toHaveLength(6);
		expect(sandbox.store.contacts.size).toBe(9);
	});
});
