/**
 * Makes the pictures of the README, or those that are named, after `npm run build`:
 *
 * `npx tsx tools/browser/screenshots.ts trigger`
 */

import { repositoryFolder } from '../n8n/paths';
import { fs, path, process } from '../support/platform';
import type { Editor } from './editor';
import { makeTour } from './tour';
import { startEditorBed, type EditorBed } from './editorBed';
import type { Picture } from './picture';
import { crmNode, manualWorkflow, triggerWorkflow } from '../n8n/workflows';

/** Those of features stand in the folder `pictures`. */
const general: Picture[] = [
	{ name: 'node-panel', show: showNodePanel },
	{ name: 'send-template', show: showSendTemplate },
	{ name: 'trigger', show: showTrigger },
	{ name: 'console', show: showConsole },
];

const folder = path.join(repositoryFolder, 'docs/images');
/** Names of fields, of actions in the node panel, and what can be pressed in the console. */
const labelled = [
	'[data-test-id="input-label"]',
	'[data-test-id="node-creator-item-name"]',
	'main form button',
];
/** A kind of picture that n8n's build does not copy, so that none gets into the package. */
const type = 'webp';
const quality = 90;
/** What would cover something else: n8n's passing messages, and buttons that push others away. */
const hidden = [
	'.el-notification',
	'[data-test-id="ndv-edit-pinned-data"]',
	'[data-test-id="ndv-pin-data"]',
	'[role="tooltip"]',
	// left behind by n8n's expression fields
	'[class*="ͼ"][style="position: relative;"]',
];
const style = `${hidden.join(', ')} { display: none !important; }`;

async function showNodePanel(editor: Editor): Promise<void> {
	await editor.openNew(manualWorkflow([], undefined, 'Contacts'));
	await editor.nodePanel.open();
	await editor.nodePanel.search('crm');
	await editor.nodePanel.openNode('Workspace CRM');
}

async function showSendTemplate(editor: Editor, { sandbox }: EditorBed): Promise<void> {
	const contact = [...sandbox.store.contacts.values()].find(
		({ name, opt_in_status }) => name !== null && opt_in_status === 'confirmed',
	);
	if (!contact) throw new Error('The sandbox has no such contact');
	const parameters = { resource: 'message', operation: 'sendTemplate' };
	const send = crmNode(parameters, { name: 'Send template message' });
	await editor.openNew(manualWorkflow([send], undefined, 'Order shipped'));
	const details = await editor.openNode('Send template message');
	await details.chooseRecord('contactId', String(contact.name), contact.phone);
	await details.chooseRecord('template', '', 'order_shipped');
	const values = [String(contact.name).split(' ')[0], 'A-1042'];
	for (const [index, value] of values.entries()) {
		await details
			.parameter(String(index + 1))
			.locator('input')
			.fill(value);
	}
	await details.execute();
	await details.showOutputAs('table');
	await details.firstOutput();
}

async function showTrigger(editor: Editor, { sandbox }: EditorBed): Promise<void> {
	await editor.openNew(triggerWorkflow({ events: ['message.received', 'tag.added'] }));
	const details = await editor.openNode('Trigger');
	await details.execute();
	await details.whole.getByText('Listening for test event').waitFor();
	sandbox.emit.inboundMessage({ phone: '+4915123456789' }, 'Do you have a table for two tonight?');
	await details.showOutputAs('schema');
}

/** Shows what the pictures before it have left in the sandbox. */
async function showConsole({ page }: Editor, { sandbox }: EditorBed): Promise<void> {
	await page.setViewportSize({ width: 1440, height: 900 });
	await page.goto(sandbox.url);
	await page.locator('#contacts summary').first().waitFor();
}

async function makePictures(): Promise<void> {
	await fs.promises.mkdir(folder, { recursive: true });
	const bed = await startEditorBed({ contacts: 200, hasExamples: true });
	try {
		const names = process.argv.slice(2);
		const pictures = [...(await ofFeatures()), ...general];
		const chosen = pictures.filter(({ name }) => names.length === 0 || names.includes(name));
		for (const { name, show, ...options } of chosen) {
			const editor = await bed.openEditor(options);
			await show(editor, bed);
			// an element under the mouse shows more than it does otherwise
			await editor.page.mouse.move(0, 0);
			const file = path.join(folder, `${name}.${type}`);
			const picture = { path: file, type, quality, style, animations: 'disabled' } as const;
			const { length } = await editor.page.screenshot(picture);
			process.stdout.write(`${file} ${Math.round(length / 1_000)} kB\n`);
			// A test compares them with the nodes, to find outdated pictures.
			const labels = JSON.stringify(await labelsOn(editor), undefined, '\t');
			await fs.promises.writeFile(path.join(folder, `${name}.json`), `${labels}\n`);
			await editor.close();
		}
		await fs.promises.writeFile(path.join(folder, 'tour.webp'), makeTour(folder));
	} finally {
		await bed.close();
	}
}

async function ofFeatures(): Promise<Picture[]> {
	const own = path.join(repositoryFolder, 'tools/browser/pictures');
	const loaded = fs
		.readdirSync(own)
		.map(async (file) => (await import(path.join(own, file))) as { picture: Picture });
	const pictures = (await Promise.all(loaded)).map(({ picture }) => picture);
	return pictures.sort((a, b) => Number(b.isFirst ?? false) - Number(a.isFirst ?? false));
}

/** The names that a picture shows, without those of columns and variables, which come from the records of the service. */
async function labelsOn({ page }: Editor): Promise<string[]> {
	const shown = page.locator(labelled.join()).filter({ visible: true });
	const fixed = shown.filter({ hasNot: page.getByTestId(/^value\[/) });
	const texts = (await fixed.allInnerTexts()).map((text) => text.split('\n')[0].trim());
	return [...new Set(texts.filter((text) => text !== ''))];
}

void makePictures();
