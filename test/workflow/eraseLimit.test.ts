import { runNode } from '../../tools/engine/runNode';
import { contactParameters } from './parameters';
import { addContacts, chosen, useSandbox } from './support';

/** What cannot be undone is not done to a whole list by mistake. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const erase = (options = {}) =>
	contactParameters('delete', chosen('id', '={{ $json.id }}'), { options });
const ids = (count: number) => addContacts(sandbox, count).map(({ id }) => ({ id }));

test.each([
	['ten items, without the option', 10, {}],
	['one', 1, {}],
	['as many as the option says', 12, { maxContacts: 12 }],
])('erases %s', async (_, count, options) => {
	const { json } = await runNode(sandbox, { parameters: erase(options), items: ids(count) });
	expect(json).toHaveLength(count);
	expect(sandbox.store.contacts.size).toBe(0);
});

test.each([
	[11, {}, 10],
	[3, { maxContacts: 2 }, 2],
])('of %i items with %j, either all or none', async (count, options, most) => {
	const items = ids(count);
	const { error } = await runNode(sandbox, { parameters: erase(options), items });
	const isRefused = count > most;
	if (isRefused)
		expect(error?.message).toBe(
			`The input has ${count} items, and 'Erase at Most' is ${most}, so no contact was erased`,
		);
	expect(sandbox.store.contacts.size).toBe(isRefused ? count : 0);
	if (isRefused) expect(sandbox.requests).toEqual([]);
});

test.each(['={{ "many" }}', '={{ $json.missing }}', 0])(
	'a limit of %j erases nothing',
	async (most) => {
		const { error } = await runNode(sandbox, {
			parameters: erase({ maxContacts: most }),
			items: ids(3),
		});
		expect(error?.message).toMatch(/'Erase at Most' is/);
		expect(sandbox.requests).toEqual([]);
	},
);

test('each item fails on the error output', async () => {
	const { failed } = await runNode(sandbox, {
		parameters: erase(),
		items: ids(11),
		onError: 'continueErrorOutput',
	});
	expect(failed).toHaveLength(11);
	expect(sandbox.requests).toEqual([]);
});
