/**
 * Makes the pictures of the README, or those that are named, after `npm run build`:
 *
 * `npx tsx tools/browser/screenshots.ts trigger`
 */

import { repositoryFolder } from '../n8n/paths';
import { fs, path, process } from '../support/platform';
import type { Editor } from './editor';
import { makeTour } from './tour';
import { untilItWaits } from '../n8n/waits';
import { chosen } from '../engine/engine';
import { startEditorBed, type EditorBed, type EditorOptions } from './editorBed';
import {
	changesNode,
	crmNode,
	manualWorkflow,
	triggerWorkflow,
	workflowOf,
} from '../n8n/workflows';

interface Picture extends EditorOptions {
	name: string;
	show(editor: Editor, bed: EditorBed): Promise<void>;
}

const pictures: Picture[] = [
	// First, because later it would have to wait for the rate limit that the others use up.
	{ name: 'send-campaign', show: showCampaign },
	{ name: 'node-panel', show: showNodePanel },
	{ name: 'send-template', show: showSendTemplate },
	{ name: 'contact-sync', show: showContactSync },
	{ name: 'trigger', show: showTrigger },
	{ name: 'console', show: showConsole },
	{ name: 'changes-trigger', show: showChangesTrigger },
	{ name: 'ask-and-wait', show: showAskAndWait },
	{ name: 'approve-agent', show: showApproveAgent },
];

const folder = path.join(repositoryFolder, 'docs/images');
/** The names that each picture shows. A test compares them with the nodes, to find outdated pictures. */
const labelsFile = path.join(folder, 'labels.json');
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
	await details.firstOutput();
}

async function showContactSync(editor: Editor): Promise<void> {
	await editor.open('scheduledSync');
	await editor.startExecution();
	await editor.untilExecuted();
	await editor.openNode('Sync contacts');
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

async function showChangesTrigger(editor: Editor): Promise<void> {
	const segmentId = { ...chosen('list', 'seg_vip'), cachedResultName: 'VIP customers' };
	const pollTimes = { item: [{ mode: 'everyX', value: 10, unit: 'minutes' }] };
	const parameters = { pollTimes, watch: 'segment', segmentId, events: ['entered'] };
	await editor.openNew(workflowOf([changesNode(parameters)]));
	const details = await editor.openNode('Changes');
	await details.execute();
	await details.output.getByTestId('node-run-status-success').waitFor();
	await details.showOutputAs('schema');
}

async function showCampaign(editor: Editor): Promise<void> {
	await editor.open('sendCampaign');
	await editor.startExecution();
	await editor.untilExecuted();
	const details = await editor.openNode('Send to those that are left');
	await details.firstOutput();
}

async function showAskAndWait(editor: Editor, bed: EditorBed): Promise<void> {
	await editor.open('askAndGoOn');
	await editor.startExecution();
	await untilItWaits(bed.rest);
	const details = await editor.openNode('Ask and wait');
	await details.whole.getByText('Execution will continue when the contact replies').waitFor();
}

async function showApproveAgent(editor: Editor): Promise<void> {
	await editor.open('approveAgent');
	await editor.node('AI Agent').waitFor();
}

async function makePictures(): Promise<void> {
	await fs.promises.mkdir(folder, { recursive: true });
	const bed = await startEditorBed({ contacts: 200, hasExamples: true });
	try {
		const names = process.argv.slice(2);
		const chosen = pictures.filter(({ name }) => names.length === 0 || names.includes(name));
		const labels = await readLabels();
		for (const { name, show, ...options } of chosen) {
			const editor = await bed.openEditor(options);
			await show(editor, bed);
			// an element under the mouse shows more than it does otherwise
			await editor.page.mouse.move(0, 0);
			const file = path.join(folder, `${name}.${type}`);
			const picture = { path: file, type, quality, style, animations: 'disabled' } as const;
			const { length } = await editor.page.screenshot(picture);
			process.stdout.write(`${file} ${Math.round(length / 1_000)} kB\n`);
			labels[name] = await labelsOn(editor);
			await editor.close();
		}
		await fs.promises.writeFile(path.join(folder, 'tour.webp'), makeTour(folder));
		await fs.promises.writeFile(labelsFile, `${JSON.stringify(labels, undefined, '\t')}\n`);
	} finally {
		await bed.close();
	}
}

async function readLabels(): Promise<Record<string, string[]>> {
	if (!fs.existsSync(labelsFile)) return {};
	return JSON.parse(await fs.promises.readFile(labelsFile, 'utf8')) as Record<string, string[]>;
}

/** Leaves out those of columns and variables, which come from the records of the service. */
async function labelsOn({ page }: Editor): Promise<string[]> {
	const shown = page.locator(labelled.join()).filter({ visible: true });
	const fixed = shown.filter({ hasNot: page.getByTestId(/^value\[/) });
	const texts = (await fixed.allInnerTexts()).map((text) => text.split('\n')[0].trim());
	return [...new Set(texts.filter((text) => text !== ''))];
}

void makePictures();
