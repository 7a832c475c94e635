import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import { decryptions } from '../../tools/engine/engine';
import { editorContext } from './editorContext';
import { PollHost, unlimitedRuntime } from './changes/pollHost';
import { runNode } from '../../tools/engine/runNode';
import { addContacts, useSandbox } from './support';
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

test('a poll of many pages decrypts it once, and the next one reads a new key', async () => {
	addContacts(sandbox, 1_000);
	const host = new PollHost(sandbox, {
		parameters: { watch: 'all' },
		runtime: unlimitedRuntime(),
	});
	await host.publish();
	// the ID of the workspace, and ten pages
	expect(sandbox.requests).toHaveLength(11);
	expect(decryptions.count).toBe(1);
	host.useCredentialOf({ url: sandbox.url, apiKey: 'another-key' });
	await host.poll();
	expect(sandbox.requests.at(-1)?.headers.authorization).toBe('Bearer another-key');
	expect(decryptions.count).toBe(2);
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
