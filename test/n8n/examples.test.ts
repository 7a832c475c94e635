import { findDeviations, runContactImport } from './contactImport';
import { findSyncDeviations, runScheduledSync } from './scheduledSync';
import { findTagDeviations, runTagOnMessage } from './tagOnMessage';
import { startTestbed, type Testbed } from './testbed';

let testbed: Testbed;

beforeAll(async () => {
	testbed = await startTestbed({ contacts: 200, hasExamples: true });
}, 600_000);
afterAll(async () => await testbed?.close());

test('contact-import.json', async () => {
	expect(findDeviations(await runContactImport(testbed.n8n.rest, testbed.sandbox))).toEqual([]);
});

test('scheduled-sync.json: what the CRM has already is not sent a second time', async () => {
	const result = await runScheduledSync(testbed.n8n.rest, testbed.sandbox);
	expect(findSyncDeviations(result)).toEqual([]);
	expect(result.second.hint).toContain('0 created, 0 updated, 20 unchanged');
});

test('tag-on-message.json', async () => {
	expect(findTagDeviations(await runTagOnMessage(testbed.n8n.rest, testbed.sandbox))).toEqual([]);
});
