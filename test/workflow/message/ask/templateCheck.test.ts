import type { INodeParameters } from 'n8n-workflow';

import { runNode } from '../../../../tools/engine/runNode';
import { addContacts, variablesOf } from '../../support';
import { lines, list, sandbox, send } from '../../templateChecks';

describe('one message', () => {
	test.each<[string, INodeParameters]>([
		['no fields were saved', {}],
		['the saved fields are of another template', { templateVariables: variablesOf({ 1: 'A' }) }],
	])('that waits for a reply is checked before anything is subscribed: %s', async (_name, more) => {
		const [{ id }] = addContacts(sandbox, 1);
		const { error } = await runNode(sandbox, {
			parameters: { ...send(more), operation: 'sendAndWait' },
			items: [{ id }],
		});
		expect(error?.message).toMatch(/^Variables of the template are blank: "name"/);
		expect(lines()).toEqual([list]);
	});
});
