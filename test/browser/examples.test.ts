import type { Editor } from '../../tools/browser/editor';
import { startEditorBed, type EditorBed } from '../../tools/browser/editorBed';
import { readExamples } from '../n8n/exampleRuns';

let bed: EditorBed;
let editor: Editor;
/** A person who imports an example has no credentials for other services yet, and n8n says so. */
let otherServices: string[];

beforeAll(async () => {
	bed = await startEditorBed({ contacts: 200, hasExamples: true });
	editor = await bed.openEditor();
	const withCredentials = (await bed.rest.nodeTypes()).filter(({ credentials }) => credentials);
	otherServices = withCredentials.map(({ name }) => name).filter((name) => !isOurs(name));
}, 900_000);
afterAll(async () => await bed?.close());

function isOurs(type: string): boolean {
	return type.startsWith('n8n-nodes-workspace-crm.');
}

/** What n8n shows beside fields that were saved with other names or types than the node has now. */
const OUTDATED = '[class*="staleDataWarning"]';
/** What it shows beside a field that is not filled in, or has a value that is not in its list. */
const PROBLEM = '[data-test-id="parameter-issues"]';

test.each(readExamples())('the editor opens $file without a warning', async ({ id, nodes }) => {
	await editor.open(id);
	for (const { name, type, parameters } of nodes) {
		if (otherServices.includes(type)) continue;
		expect([name, await editor.node(name).getByTestId('node-issues').count()]).toEqual([name, 0]);
		if (!isOurs(type)) continue;
		const isMapped = 'columns' in parameters || 'templateVariables' in parameters;
		// The editor asks for the fields, and then compares them with what was saved.
		const fields = isMapped && editor.page.waitForResponse(/resource-mapper-fields/);
		const details = await editor.openNode(name);
		await details.labels();
		await fields;
		await editor.page.waitForTimeout(500);
		const warnings = details.whole.locator([OUTDATED, PROBLEM].join()).filter({ visible: true });
		expect([name, await warnings.allInnerTexts()]).toEqual([name, []]);
		await details.close();
	}
});
