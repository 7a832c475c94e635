import { startEditorBed, type EditorBed } from '../../tools/browser/editorBed';
import type { Editor } from '../../tools/browser/editor';
import { readExamples } from '../n8n/exampleRuns';

let bed: EditorBed;
let editor: Editor;

beforeAll(async () => {
	bed = await startEditorBed({ contacts: 200, hasExamples: true });
	editor = await bed.openEditor();
}, 900_000);
afterAll(async () => await bed?.close());

/** What n8n shows above columns that were saved with other names or types than the node gives now. */
const OUTDATED = /are outdated/;

test.each(readExamples())('the editor opens $file without a warning', async ({ id, nodes }) => {
	await editor.open(id);
	for (const { name, type, credentials } of nodes) {
		const isOurs = type.startsWith('n8n-nodes-workspace-crm.');
		// A person who imports an example has no credentials for other services yet.
		if (isOurs || !credentials) {
			expect([name, await editor.node(name).getByTestId('node-issues').count()]).toEqual([name, 0]);
		}
		if (!isOurs) continue;
		const details = await editor.openNode(name);
		await details.labels();
		const issues = details.whole.getByTestId('parameter-issues').filter({ visible: true });
		expect([name, await issues.count()]).toEqual([name, 0]);
		expect(await details.whole.innerText()).not.toMatch(OUTDATED);
		await details.close();
	}
});
