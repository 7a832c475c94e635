import { runNode } from './runNode';
import { paired, sent, useSandbox } from './support';

const sandbox = useSandbox();

test('getAll gives one item for each template', async () => {
	const { output } = await runNode(sandbox, {
		parameters: { resource: 'template', operation: 'getAll', returnAll: true },
	});
	expect(output).toHaveLength(5);
	expect(output).toEqual(paired(...sandbox.store.templates.map((row) => [0, { ...row }] as const)));
	expect(sent(sandbox)).toEqual([{ request: 'GET /v1/templates' }]);
});

test('getAll gives at most as many as the limit says', async () => {
	const { json } = await runNode(sandbox, {
		parameters: { resource: 'template', operation: 'getAll', limit: 2 },
	});
	expect(json.map(({ name }) => name)).toEqual(['order_shipped', 'appointment_reminder']);
});
