import type { INodeParameters } from 'n8n-workflow';

import { runNode } from './runNode';
import { addContact, chosen, contactId, useSandbox } from './support';

const contact = chosen('id', contactId);
const sandbox = useSandbox();
beforeEach(() => addContact(sandbox, { id: contactId, tags: ['vip'] }));

/** Many servers refuse a request that is said to be JSON and has no body. */
test.each([
	['GET', { resource: 'contact', operation: 'get', contactId: contact }],
	['DELETE', { resource: 'contact', operation: 'delete', contactId: contact }],
	['DELETE', { resource: 'tag', operation: 'remove', contactId: contact, tags: 'vip' }],
] as Array<[string, INodeParameters]>)(
	'a %s without a body is not said to be JSON',
	async (method, parameters) => {
		const { error } = await runNode(sandbox, { parameters });
		expect(error).toBeUndefined();
		const [request] = sandbox.requests;
		expect(request.method).toBe(method);
		expect(request.body).toBeUndefined();
		expect(request.headers['content-type']).toBeUndefined();
		expect(request.headers.accept).toBe('application/json');
	},
);

test.each([
	['POST', { resource: 'tag', operation: 'add', contactId: contact, tags: 'new' }],
	[
		'PATCH',
		{ resource: 'contact', operation: 'update', contactId: contact, updateFields: { name: 'N' } },
	],
] as Array<[string, INodeParameters]>)(
	'a %s with a body is said to be JSON',
	async (method, parameters) => {
		await runNode(sandbox, { parameters });
		const [request] = sandbox.requests;
		expect(request.method).toBe(method);
		expect(request.headers['content-type']).toBe('application/json');
	},
);
