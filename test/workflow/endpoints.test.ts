import { endpoints } from '../../nodes/WorkspaceCrm/crm/endpoints';
import { contactItem, operationCases, usesFor } from '../operationCases';
import { operations } from '../support/operations';
import { runNode } from '../../tools/engine/runNode';
import { addContact, contactId, useSandbox } from './support';

const sandbox = useSandbox();

const contact = {
	id: contactId,
	phone: '+4915123456789',
	tags: ['vip'],
	opt_in_status: 'confirmed' as const,
};
const uses = usesFor(contactItem(contact, 0));
const ids = [contactId, 'aut_win_back', 'seg_confirmed', 'seg_vip', 'sub_0'];

function endpointOf({ method, path }: { method: string; path: string }): string {
	const segments = path.split('/').map((segment) => (ids.includes(segment) ? '*' : segment));
	return `${method} ${segments.join('/').replace(/tags\/vip$/, 'tags/*')}`;
}

beforeEach(() => addContact(sandbox, contact));

test('every operation has a case in operationCases.ts, and nothing else', () => {
	const known = operations.map(({ resource, operation }) => `${resource} ${operation}`);
	expect(Object.keys(operationCases).sort()).toEqual(known.sort());
});

test.each(Object.entries(uses))(
	'%s requests its endpoints once each, and gets an answer',
	async (name, parameters) => {
		const { error } = await runNode(sandbox, { parameters });
		expect(error).toBeUndefined();
		const { asksFirst = [], endpoints, ...known } = operationCases[name];
		const { callsAll, calls = callsAll ? endpoints.length : 1 } = known;
		// A number is searched for twice.
		const requested = sandbox.requests
			.map(endpointOf)
			.filter((each, at, all) => each !== 'GET /v1/contacts' || each !== all[at - 1]);
		expect(requested).toEqual([asksFirst, endpoints.slice(0, calls)].flat());
		expect([200, 201, 204]).toContain(sandbox.requests[0].status);
		for (const { body, headers } of sandbox.requests) {
			expect(headers.accept).toBe('application/json');
			// Many servers refuse a request that is said to be JSON and has no body.
			expect(headers['content-type']).toBe(body === undefined ? undefined : 'application/json');
		}
	},
);

test('the operations use every endpoint of the API, and no other', () => {
	const all = Object.values(operationCases).flatMap(({ endpoints }) => endpoints);
	const labels = Object.values(endpoints).map(({ label }) => label.replace(/\{\w+\}/g, '*'));
	expect([...new Set(all)].sort()).toEqual(labels.sort());
});
