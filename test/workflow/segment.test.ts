import { runNode } from './runNode';
import { addContact, addContacts, chosen, paired, sent, useSandbox } from './support';

const sandbox = useSandbox();

test('getAll gives one item for each segment', async () => {
	const { output } = await runNode(sandbox, {
		parameters: { resource: 'segment', operation: 'getAll', returnAll: true },
	});
	expect(output).toEqual(
		paired(
			[0, { id: 'seg_confirmed', name: 'Confirmed contacts' }],
			[0, { id: 'seg_vip', name: 'VIP customers' }],
			[0, { id: 'seg_newsletter', name: 'Newsletter readers' }],
		),
	);
	expect(sent(sandbox)).toEqual([{ request: 'GET /v1/segments' }]);
});

test('getContacts gives one item for each contact that matches the segment', async () => {
	const contact = addContact(sandbox, { tags: ['vip'] });
	addContact(sandbox, { phone: '+4915123456780' });
	const { output } = await runNode(sandbox, {
		parameters: {
			resource: 'segment',
			operation: 'getContacts',
			segmentId: chosen('list', 'seg_vip'),
		},
	});
	expect(output).toEqual(paired([0, { ...contact }]));
	expect(sent(sandbox)).toEqual([
		{ request: 'GET /v1/segments/seg_vip/contacts', query: { limit: '50', offset: '0' } },
	]);
});

test('getContacts reads page after page', async () => {
	const contacts = addContacts(sandbox, 230, { tags: ['vip'] });
	const { json } = await runNode(sandbox, {
		parameters: {
			resource: 'segment',
			operation: 'getContacts',
			segmentId: chosen('id', 'seg_vip'),
			returnAll: true,
		},
	});
	expect(json.map(({ id }) => id)).toEqual(contacts.map(({ id }) => id));
	expect(sandbox.requests).toHaveLength(3);
});

test('getContacts gives `id` where the service lists only the ids of contacts', async () => {
	sandbox.setShapes({ segmentContacts: 'ids' });
	const contacts = addContacts(sandbox, 120, { tags: ['vip'] });
	const { output } = await runNode(sandbox, {
		parameters: {
			resource: 'segment',
			operation: 'getContacts',
			segmentId: chosen('id', 'seg_vip'),
			returnAll: true,
		},
	});
	expect(output).toEqual(paired(...contacts.map(({ id }) => [0, { id }] as const)));
});
