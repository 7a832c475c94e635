import { startSandbox, type Sandbox } from '../sandbox';
import { runNode } from './runNode';

const workspace = { id: '6f1c1f0e-8f0b-4f43-9d6e-2b7a51c0d001', name: 'Harbour Coffee' };
let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ workspace });
});
afterAll(async () => await sandbox.close());

test('get gives the id and the name of the workspace', async () => {
	const { output } = await runNode(sandbox, {
		parameters: { resource: 'workspace', operation: 'get' },
	});
	expect(output).toEqual([{ json: workspace, pairedItem: { item: 0 } }]);
});
