import { contactParameters } from './parameters';
import { byId, contacts, log, sandbox, testProgress } from './progress';
import { runNode } from '../../tools/engine/runNode';
import { chosen, patientRuntime } from './support';

testProgress(['Get', contactParameters('get', chosen('id', '={{ $json.id }}')), byId]);

test('a short run says nothing', async () => {
	const { runtime } = patientRuntime();
	const items = contacts.slice(0, 100).map(byId);
	const parameters = contactParameters('get', chosen('id', '={{ $json.id }}'));
	await runNode(sandbox, { parameters, items, runtime });
	expect(log).toEqual([]);
});
