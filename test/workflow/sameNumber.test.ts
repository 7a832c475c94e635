import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runNode } from '../../tools/engine/runNode';
import { processInTime } from './shutDoor';
import { addContact, chosen, useSandbox, variablesOf, writes } from './support';

/** Which contact a row, an item or a campaign means has the same answer in every operation. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });

const LONG = '+5511987654321';
const SHORT = '+551187654321';
// Libraries know only one of the forms.
beforeEach(() => sandbox.store.rules.newNumbers.set(SHORT, SHORT));
const contacts = () => [...sandbox.store.contacts.values()];

describe('a number with two forms', () => {
	const byPhone = (phone: string) => ({ contactId: chosen('phone', phone) });
	const operations: Array<[string, INodeParameters]> = [
		['get', { resource: 'contact', operation: 'get' }],
		['update', { resource: 'contact', operation: 'update', updateFields: { name: 'New' } }],
		['delete', { resource: 'contact', operation: 'delete' }],
		['tag', { resource: 'tag', operation: 'add', tags: 'vip' }],
		[
			'template',
			{
				resource: 'message',
				operation: 'sendTemplate',
				template: chosen('name', 'welcome'),
				templateVariables: variablesOf({ name: 'Anna' }),
			},
		],
	];

	test.each(operations)('finds the contact: %s', async (_name, parameters) => {
		const { id } = addContact(sandbox, { phone: SHORT });
		const { error, json } = await runNode(sandbox, {
			parameters: { ...parameters, ...byPhone(LONG) },
		});
		expect(error).toBeUndefined();
		const isNotFound = json[0].deleted === true && !sandbox.store.contacts.has(id);
		expect(isNotFound ? id : (json[0].contact_id ?? json[0].id)).toBe(id);
	});

	test.each(operations)(
		'of two contacts is an error that names both: %s',
		async (_name, parameters) => {
			const both = [LONG, SHORT].map((phone) => addContact(sandbox, { phone }));
			const { error } = await runNode(sandbox, { parameters: { ...parameters, ...byPhone(LONG) } });
			expect(error?.message).toBe(`2 contacts have the phone number ${LONG}`);
			for (const { id } of both) expect(error?.description).toContain(id);
			expect(writes(sandbox)).toEqual([]);
		},
	);

	const save = (phone: string, more: IDataObject = {}) => ({
		resource: 'contact',
		operation: 'upsert',
		phone,
		additionalFields: { name: 'New' },
		...more,
	});

	test('is saved to the contact that has it, and not to a second one', async () => {
		const contact = addContact(sandbox, { phone: SHORT });
		const items = [{ phone: LONG }, { phone: SHORT }];
		const parameters = save('={{ $json.phone }}') as INodeParameters;
		await runNode(sandbox, { parameters, items, runtime: processInTime() });
		expect(contacts()).toEqual([contact]);
		expect(contact.name).toBe('New');
	});

	test('creates one contact, although both forms come at the same time', async () => {
		const items = [{ phone: LONG }, { phone: SHORT }];
		const parameters = save('={{ $json.phone }}') as INodeParameters;
		const { error } = await runNode(sandbox, { parameters, items });
		expect(error).toBeUndefined();
		expect(contacts().map(({ phone }) => phone)).toEqual([LONG]);
	});

	test('is sent as typed if that is asked for', async () => {
		addContact(sandbox, { phone: SHORT });
		const parameters = save(LONG, { options: { normalizePhone: false } }) as INodeParameters;
		await runNode(sandbox, { parameters });
		expect(contacts()).toHaveLength(2);
	});
});
