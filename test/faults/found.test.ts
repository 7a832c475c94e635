import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runNode } from '../workflow/runNode';
import { addContact, addContacts, chosen, patientRuntime, useSandbox } from '../workflow/support';

/** What the runs in a real n8n have found, in the smallest form, without one. */

const sandbox = useSandbox();

async function run(parameters: INodeParameters, items: IDataObject[] = [{}], settings = {}) {
	const { runtime } = patientRuntime();
	const onError = 'continueErrorOutput';
	return await runNode(sandbox, {
		parameters,
		items,
		runtime,
		onError,
		settings,
		executionId: '1',
	});
}

test('Retry On Fail of n8n creates no subscription twice', async () => {
	sandbox.fail({ match: { method: 'POST' }, kind: { drop: 'afterEffect' } });
	await run(
		{
			resource: 'subscription',
			operation: 'create',
			url: '={{ $json.url }}',
			events: ['tag.added'],
		},
		[{ url: 'https://example.com/1' }, { url: 'https://example.com/2' }],
		{ retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
	);
	expect([...sandbox.store.subscriptions.values()].map(({ url }) => url)).toEqual([
		'https://example.com/1',
		'https://example.com/2',
	]);
});

test('a total below what the page itself holds does not end the list', async () => {
	addContacts(sandbox, 150);
	sandbox.fail({ times: 9, kind: { page: (page) => ({ ...page, total: 5 }) } });
	const { json, error } = await run({
		resource: 'contact',
		operation: 'getAll',
		returnAll: true,
	});
	expect(error).toBeUndefined();
	expect(json).toHaveLength(150);
});

test('a tag that is not there: the text says what to do', async () => {
	const { id } = addContact(sandbox);
	const { failed } = await run({
		resource: 'tag',
		operation: 'remove',
		contactId: chosen('id', id),
		tags: 'vip',
	});
	expect(failed[0].description).toMatch(/\b(Check|Run|Choose)\b/);
});
