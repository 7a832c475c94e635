import { endpointUses } from './endpointUses';
import { runNode } from './runNode';
import { addContact, contactId, useSandbox } from './support';

const sandbox = useSandbox();

const ids = [contactId, 'aut_win_back', 'seg_vip', 'sub_1'];

function endpointOf({ method, path }: { method: string; path: string }): string {
	const segments = path.split('/').map((segment) => (ids.includes(segment) ? '{id}' : segment));
	return `${method} ${segments.join('/').replace(/tags\/vip$/, 'tags/{name}')}`;
}

beforeEach(() => addContact(sandbox, { id: contactId, tags: ['vip'] }));

test.each(endpointUses)(
	'%s is called by a workflow, once, and answers',
	async (endpoint, parameters) => {
		const { error } = await runNode(sandbox, { parameters });
		expect(error).toBeUndefined();
		expect(sandbox.requests.map(endpointOf)).toEqual([endpoint]);
		expect([200, 201, 204]).toContain(sandbox.requests[0].status);
	},
);

test('the operations together call every endpoint of the API, and none besides', async () => {
	for (const [, parameters] of endpointUses) {
		addContact(sandbox, { id: contactId, tags: ['vip'] });
		await runNode(sandbox, { parameters });
	}
	expect(new Set(sandbox.requests.map(endpointOf))).toEqual(
		new Set([
			'POST /v1/contacts',
			'GET /v1/contacts',
			'GET /v1/contacts/{id}',
			'PATCH /v1/contacts/{id}',
			'DELETE /v1/contacts/{id}',
			'GET /v1/tags',
			'POST /v1/contacts/{id}/tags',
			'DELETE /v1/contacts/{id}/tags/{name}',
			'GET /v1/templates',
			'POST /v1/messages/template',
			'GET /v1/automations',
			'POST /v1/automations/{id}/enroll',
			'GET /v1/segments',
			'GET /v1/segments/{id}/contacts',
			'GET /v1/events',
			'GET /v1/subscriptions',
			'POST /v1/subscriptions',
			'DELETE /v1/subscriptions/{id}',
			'GET /v1/workspace',
		]),
	);
});
