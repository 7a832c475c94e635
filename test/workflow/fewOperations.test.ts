/** The resources that have few operations: what each gives, and the request that it sends. */

import { runNode } from './runNode';
import { addContact, addContacts, chosen, paired, sent, useSandbox } from './support';

const workspace = { id: '6f1c1f0e-8f0b-4f43-9d6e-2b7a51c0d001', name: 'Harbour Coffee' };
const sandbox = useSandbox({ workspace });

describe('an automation', () => {
	test('enroll starts the automation for the contact, and gives both', async () => {
		const { id } = addContact(sandbox);
		const { output } = await runNode(sandbox, {
			parameters: {
				resource: 'automation',
				operation: 'enroll',
				automationId: chosen('list', 'aut_vip_care'),
				contactId: chosen('id', id),
			},
		});
		const [enrolment] = sandbox.store.enrolments;
		expect(enrolment).toMatchObject({ automation_id: 'aut_vip_care', contact_id: id });
		expect(output).toEqual(paired([0, { ...enrolment }]));
		expect(sent(sandbox)).toEqual([
			{ request: 'POST /v1/automations/aut_vip_care/enroll', body: { contact_id: id } },
		]);
	});
});

describe('a segment', () => {
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
});
