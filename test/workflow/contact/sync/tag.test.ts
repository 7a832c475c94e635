import { runNode } from '../../../../tools/engine/runNode';
import { addContact, useSandbox } from '../../support';
import { mapped } from './syncNode';

const sandbox = useSandbox();

test('a tag that the workspace has in another spelling is sent by sync as the workspace has it', async () => {
	const stored = 'Cafe\u0301';
	addContact(sandbox, { phone: '+4915123456780', tags: [stored] });
	await runNode(sandbox, { parameters: mapped({ phone: '+4915123456789', tags: 'Café' }) });
	expect(sandbox.store.findByPhone('+4915123456789')?.tags).toEqual([stored]);
});
