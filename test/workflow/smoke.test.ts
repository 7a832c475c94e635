import { startSandbox, type Sandbox } from '../sandbox';
import { runNode } from './runNode';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ contacts: 250, limiter: { kind: 'off' } });
});
afterAll(async () => await sandbox.close());

test('workspace get', async () => {
	const r = await runNode(sandbox, { parameters: { resource: 'workspace', operation: 'get' } });
	console.log(JSON.stringify(r, null, 1));
});
test('upsert', async () => {
	const r = await runNode(sandbox, {
		parameters: {
			resource: 'contact',
			operation: 'upsert',
			phone: '={{ $json.phone }}',
			additionalFields: {
				defaultCountry: 'DE',
				name: 'X',
				tags: 'a, b',
				locale: 'de',
				attributes: { values: [{ name: 'a', value: '1' }] },
			},
		},
		items: [{ phone: '0151 23456789' }, { phone: 'hello' }, { phone: 4915123456780 }],
		onError: 'continueErrorOutput',
	});
	console.log(JSON.stringify(r, null, 1), JSON.stringify(sandbox.requests.slice(-4)));
});
test('getAll', async () => {
	sandbox.requests.length = 0;
	const r = await runNode(sandbox, {
		parameters: { resource: 'contact', operation: 'getAll', returnAll: true },
	});
	console.log(r.json.length, sandbox.requests.length, r.error);
});
