import { runNode } from '../../../../tools/engine/runNode';
import { addContacts } from '../../support';
import { lines, list, sandbox, send } from '../../templateChecks';

describe('one message', () => {
	test('that waits for a reply is checked before anything is subscribed', async () => {
		const [{ id }] = addContacts(sandbox, 1);
		const { error } = await runNode(sandbox, {
			parameters: { ...send(), operation: 'sendAndWait' },
			items: [{ id }],
		});
		expect(error?.message).toMatch(/^Variables of the template are blank: "name"/);
		expect(lines()).toEqual([list]);
	});
});
