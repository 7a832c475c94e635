import { decryptions } from '../../../tools/engine/engine';
import { PollHost, unlimitedRuntime } from './pollHost';
import { addContacts, useSandbox } from '../support';

const sandbox = useSandbox({ limiter: { kind: 'off' } });
beforeEach(() => {
	decryptions.count = 0;
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
