import { runNode } from './runNode';
import { addContact, chosen, paired, sent, useSandbox } from './support';

const sandbox = useSandbox();

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

test('getAll gives one item for each automation', async () => {
	const { output } = await runNode(sandbox, {
		parameters: { resource: 'automation', operation: 'getAll', returnAll: true },
	});
	expect(output).toHaveLength(4);
	expect(output).toEqual(
		paired(...sandbox.store.automations.map((row) => [0, { ...row }] as const)),
	);
	expect(sent(sandbox)).toEqual([{ request: 'GET /v1/automations' }]);
});
