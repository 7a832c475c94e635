import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import { decryptions } from '../../tools/engine/engine';
import { editorContext } from './editorContext';
import { runNode } from '../../tools/engine/runNode';
import { useSandbox } from './support';
import { startTrigger, stopTriggers } from './triggerSetup';

const sandbox = useSandbox({ limiter: { kind: 'off' } });
beforeEach(() => {
	decryptions.count = 0;
});
afterEach(async () => await stopTriggers());

test('a run of many items decrypts the credential once', async () => {
	const { error } = await runNode(sandbox, {
		parameters: { resource: 'contact', operation: 'upsert', phone: '={{ $json.phone }}' },
		items: Array.from({ length: 30 }, (_, index) => ({ phone: `+49151234567${10 + index}` })),
	});
	expect(error).toBeUndefined();
	expect(sandbox.requests).toHaveLength(30);
	expect(decryptions.count).toBe(1);
});

test('publishing decrypts it once, and a delivery never', async () => {
	const { host, sandbox: service } = await startTrigger();
	await host.publish();
	expect(decryptions.count).toBe(1);
	service.emit.inboundMessage({ phone: '+4915123456789' }, 'Hello');
	await service.settled();
	expect(host.started).toHaveLength(1);
	expect(decryptions.count).toBe(1);
});

test('a drop-down decrypts it once', async () => {
	const { searchContacts } = new WorkspaceCrm().methods.listSearch;
	await searchContacts.call(editorContext(sandbox));
	expect(decryptions.count).toBe(1);
});
