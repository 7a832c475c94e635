import type { INodeParameters } from 'n8n-workflow';

import { runNode } from './runNode';
import { addContact, chosen, contactId, paired, sent, useSandbox } from './support';

const sandbox = useSandbox();
beforeEach(() => addContact(sandbox, { id: contactId }));

function send(template: unknown, more: INodeParameters = {}) {
	return {
		resource: 'message',
		operation: 'sendTemplate',
		contactId: chosen('id', contactId),
		template,
		...more,
	} as INodeParameters;
}

test.each([
	['list', 'tpl_order_shipped', 'order_shipped'],
	['id', 'tpl_order_shipped', 'order_shipped'],
	['name', 'welcome', 'welcome'],
])('sends a template chosen by %s, and gives what was sent to whom', async (mode, value, name) => {
	const { output } = await runNode(sandbox, { parameters: send(chosen(mode, value)) });
	const [message] = sandbox.store.sentMessages;
	expect(message.template).toBe(name);
	expect(output).toEqual(paired([0, { ...message, status: 'queued' }]));
	expect(sent(sandbox)).toEqual([
		{
			request: 'POST /v1/messages/template',
			body: { contact_id: contactId, template: value },
		},
	]);
});

test('sends variables with the types that expressions give; blank ones are left out', async () => {
	await runNode(sandbox, {
		parameters: send(chosen('name', 'order_shipped'), {
			variables: {
				values: [
					{ name: '1', value: '={{ $json.name }}' },
					{ name: '2', value: '={{ $json.order }}' },
					{ name: 'note', value: '={{ "" }}' },
					{ name: 'blank', value: '' },
					{ name: ' ', value: 'nameless' },
				],
			},
		}),
		items: [{ name: 'Zoë', order: 4711 }],
	});
	expect(sandbox.requests[0].body).toEqual({
		contact_id: contactId,
		template: 'order_shipped',
		variables: { 1: 'Zoë', 2: 4711, note: '' },
	});
});

test('an empty template is refused before any request', async () => {
	const { error } = await runNode(sandbox, {
		parameters: send(chosen('name', '={{ $json.missing }}')),
	});
	expect(error?.message).toBe("'Template' is set by an expression that gives nothing [item 0]");
	expect(sandbox.requests).toEqual([]);
});

test('a template that is left blank by hand is refused before any request', async () => {
	const { error } = await runNode(sandbox, { parameters: send(chosen('name', '  ')) });
	expect(error?.message).toBe("'Template' is empty [item 0]");
	expect(sandbox.requests).toEqual([]);
});

test('sends the variables that were mapped, and others beside them', async () => {
	await runNode(sandbox, {
		parameters: send(chosen('id', 'tpl_order_shipped'), {
			templateVariables: {
				mappingMode: 'defineBelow',
				value: { 1: '={{ $json.name }}', 2: '', 3: '={{ $json.total }}' },
				schema: [],
			},
			variables: { values: [{ name: '3', value: 'other' }] },
		}),
		items: [{ name: 'Anna', total: 12.5 }],
	});
	expect(sent(sandbox)[0].body).toMatchObject({ variables: { 1: 'Anna', 3: 'other' } });
});
