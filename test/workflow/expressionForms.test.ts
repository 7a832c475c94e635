import type { INodeParameters } from 'n8n-workflow';

import { runNode } from '../../tools/engine/runNode';
import { BLANK, forms, item, REFUSED } from './expressionForms';
import { addContact, chosen, sent, useSandbox } from './support';

const sandbox = useSandbox({ limiter: { kind: 'off' } });

beforeEach(() => addContact(sandbox, { id: item.id, phone: item.phone }));

/** What is sent for a value in these parameters: a text, BLANK or REFUSED. */
async function outcomeOf(parameters: object, textOf: (body: never) => unknown) {
	const { failed } = await runNode(sandbox, {
		parameters: parameters as INodeParameters,
		items: [structuredClone(item)],
		onError: 'continueErrorOutput',
	});
	const [request, ...more] = sent(sandbox);
	expect(more).toEqual([]);
	if (failed.length === 0) return textOf(request.body as never) ?? BLANK;
	expect(request).toBeUndefined();
	return REFUSED;
}

test.each(forms.map((form) => [form[0], ...form.slice(1)] as const))(
	'in a name: %s',
	async (name, expected) => {
		const parameters = {
			resource: 'contact',
			operation: 'upsert',
			phone: item.phone,
			additionalFields: { name },
		};
		const outcome = await outcomeOf(parameters, ({ name: text }: { name?: string }) => text);
		expect(outcome).toBe(expected);
	},
);

test.each(forms.map((form) => [form[0], form[2] ?? form[1]] as const))(
	'in a message: %s',
	async (value, expected) => {
		const parameters = {
			resource: 'message',
			operation: 'sendTemplate',
			contactId: chosen('id', item.id),
			template: chosen('name', 'welcome'),
			options: { sendBlankVariables: true, variables: { values: [{ name: 'name', value }] } },
		};
		const outcome = await outcomeOf(
			parameters,
			({ variables }: { variables?: { name?: string } }) => variables?.name,
		);
		expect(outcome).toBe(expected);
	},
);
