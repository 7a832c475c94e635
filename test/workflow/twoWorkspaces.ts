import { startSandbox, type Sandbox } from '../../tools/sandbox';
import { newKey } from '../faults/world';

/** A credential whose fields are expressions: each item reaches its own workspace, and no other. */
export const sandboxes: Sandbox[] = [];
beforeAll(async () => {
	for (let count = 0; count < 2; count += 1) {
		sandboxes.push(await startSandbox({ apiKey: newKey(), limiter: { kind: 'off' } }));
	}
});
beforeEach(() => {
	for (const sandbox of sandboxes) sandbox.reset();
});
afterAll(async () => {
	for (const sandbox of sandboxes) await sandbox.close();
});

export const byItem = { baseUrl: '={{ $json.crmUrl }}', apiKey: '={{ $json.crmKey }}' };
export const accessTo = ({ url, apiKey }: Sandbox) => ({ crmUrl: url, crmKey: apiKey });
