import type { Locator, Page } from 'playwright-core';

import { eventually, triggerWorkflow } from '../n8n/testbed';
import { HOSTILE_TEXT, HOSTILE_TEXTS, UNSEEN } from '../support/hostileTexts';
import type { Editor } from './editor';
import { startEditorBed, type EditorBed } from './editorBed';
import { editorTests } from './editorTests';
import type { NodeDetails } from './nodeDetails';
import { crmNode, editFieldsNode, manualWorkflow } from './workflows';

/** Texts of strangers, in each place of the editor that shows one: nothing comes of them but text. */
const written = HOSTILE_TEXTS.map(([text]) => text);
const seen = HOSTILE_TEXTS.map(([, text]) => text);

let bed: EditorBed;

beforeAll(async () => {
	bed = await startEditorBed();
	const { store } = bed.sandbox;
	written.forEach((name, index) => {
		const phone = `+49151234567${10 + index}`;
		store.addContact({ phone, name, tags: [name], attributes: { [name]: 'x' } });
		store.segments.push({ id: `segment-${index}`, name, rule: {} });
	});
	store.templates.push({ id: 'evil', name: 'evil', variables: written } as never);
}, 900_000);
afterAll(async () => await bed?.close());
afterEach(() => bed.sandbox.clearFaults());

/** A test of a place; `act` gives what it shows. */
function inPlace(
	name: string,
	act: (editor: Editor) => Promise<string>,
	expected: readonly string[] = seen,
): void {
	editorTests(() => bed)(name, async (editor) => {
		const hosts: string[] = [];
		editor.page.on('request', (request) => hosts.push(new URL(request.url()).host));
		const text = await act(editor);
		expect(await elementsMade(editor.page)).toEqual([]);
		expect(hosts).not.toContain('evil.example.com');
		for (const part of expected) expect(text).toContain(part);
		expect(text.replaceAll('\n', ' ')).not.toMatch(UNSEEN);
		expect(text).not.toMatch(/&lt;|&gt;|&amp;/);
	});
}

/** The elements that a text has become, and those whose look it has changed. */
async function elementsMade(page: Page): Promise<string[]> {
	return await page.evaluate(`
		const isMade = (element) =>
			element.textContent.startsWith('evil') ||
			element.textContent === 'body{color:red}' ||
			[...element.attributes].some(({ name, value }) =>
				/^(href|src|srcset|srcdoc|style|on.*)$/.test(name) && /evil|color: *red/.test(value));
		[...document.querySelectorAll('*')].filter(isMade).map(({ outerHTML }) => outerHTML.slice(0, 200))
	`);
}

async function valuesOf(inputs: Locator): Promise<string[]> {
	await inputs.first().waitFor();
	return await Promise.all((await inputs.all()).map(async (input) => await input.inputValue()));
}

/** The service refuses whatever is asked of a path, for a reason that is hostile. */
function refuse(path: RegExp, status = 422): void {
	bed.sandbox.fail({ match: { path }, times: 20, kind: { status, detail: HOSTILE_TEXT } });
}

async function open(editor: Editor, parameters: Parameters<typeof crmNode>[0]) {
	await editor.openNew(manualWorkflow('Hostile texts', crmNode(parameters)));
	return await editor.openNode('CRM step');
}

const toast = ({ page }: Editor) => page.locator('.el-notification').last();

describe('an error', () => {
	const getWorkspace = { resource: 'workspace', operation: 'get' };

	inPlace('that quotes the service', async (editor) => {
		const details = await open(editor, getWorkspace);
		refuse(/workspace/);
		await details.execute();
		return (await details.error()).description;
	});

	inPlace(
		'that quotes an item, also in the message that passes by',
		async (editor) => {
			const phone = `={{ ${JSON.stringify(written[1])} }}`;
			const details = await open(editor, { resource: 'contact', operation: 'upsert', phone });
			await details.execute();
			const { title } = await details.error();
			expect(title).toContain('evil 2');
			return await toast(editor).innerText();
		},
		['‹a href=\\"https://evil.example.com\\"›evil 2‹/a›'],
	);

	inPlace('while listening for a test event', async (editor) => {
		await editor.openNew(triggerWorkflow({ events: ['message.received'] }));
		refuse(/subscriptions/);
		const details = await editor.openNode('Trigger');
		await details.execute();
		await toast(editor).waitFor();
		return await toast(editor).innerText();
	});

	inPlace(
		'of a publishing',
		async (editor) => {
			await editor.openNew(triggerWorkflow({ events: ['message.received'] }));
			refuse(/subscriptions/);
			await editor.page.getByTestId('workflow-open-publish-modal-button').click();
			await editor.page.getByTestId('workflow-publish-button').click();
			await toast(editor).getByText('could not be published').waitFor();
			return await toast(editor).innerText();
		},
		['The service did not accept the data'],
	);

	inPlace(
		'of the test of a credential',
		async (editor) => {
			await open(editor, getWorkspace);
			refuse(/workspace/, 500);
			await editor.credentialDialog.openChosen();
			await editor.credentialDialog.showDetails();
			return await editor.credentialDialog.whole.innerText();
		},
		['connect with these settings'],
	);
});

describe('in a list:', () => {
	async function openList({ page }: Editor, { whole }: NodeDetails, name: string) {
		await whole.getByTestId(`resource-locator-${name}`).getByTestId('rlc-input').click();
		// Those of other fields stay in the page, hidden.
		return page.getByTestId(/^rlc-(item|error-container)$/).filter({ visible: true });
	}

	inPlace('contacts, and the one that was chosen', async (editor) => {
		const details = await open(editor, { resource: 'contact', operation: 'get' });
		const list = await openList(editor, details, 'contactId');
		const chosen = list.filter({ hasText: 'evil 2' });
		await chosen.waitFor();
		const texts = await list.allInnerTexts();
		await chosen.click();
		const inputs = details.whole.getByTestId('resource-locator-contactId').locator('input');
		expect(await valuesOf(inputs)).toContainEqual(expect.stringContaining(seen[1]));
		return texts.join(' ');
	});

	inPlace('segments', async (editor) => {
		const details = await open(editor, { resource: 'segment', operation: 'getContacts' });
		const list = await openList(editor, details, 'segmentId');
		await list.filter({ hasText: 'evil 2' }).waitFor();
		return (await list.allInnerTexts()).join(' ');
	});

	inPlace('why there are no segments', async (editor) => {
		const details = await open(editor, { resource: 'segment', operation: 'getContacts' });
		refuse(/segments/);
		const list = await openList(editor, details, 'segmentId');
		return await list.filter({ hasText: 'The service says' }).innerText();
	});

	inPlace('tags, and the one that was chosen', async (editor) => {
		const details = await open(editor, { resource: 'tag', operation: 'add' });
		const texts = await details.choices('knownTags');
		await details.choose('knownTags', seen[1]);
		expect(await details.parameter('knownTags').innerText()).toContain(seen[1]);
		return texts.join(' ');
	});

	inPlace(
		'why there are no tags',
		async (editor) => {
			refuse(/tags/);
			const details = await open(editor, { resource: 'tag', operation: 'add' });
			const inputs = details.parameter('knownTags').locator('input');
			const values = await eventually(
				async () => await valuesOf(inputs),
				(texts) => texts.join('') !== '',
			);
			return values.join(' ');
		},
		['Error fetching options'],
	);
});

describe('in the fields for values:', () => {
	inPlace('the attributes of contacts', async (editor) => {
		const details = await open(editor, { resource: 'contact', operation: 'sync' });
		return (await details.columns()).join(' ');
	});

	inPlace('the variables of a template', async (editor) => {
		const template = { __rl: true, mode: 'name', value: 'evil' };
		const details = await open(editor, {
			resource: 'message',
			operation: 'sendTemplate',
			template,
		});
		return (await details.columns()).join(' ');
	});

	inPlace('why there are no attributes', async (editor) => {
		refuse(/contacts/);
		const details = await open(editor, { resource: 'contact', operation: 'sync' });
		return await details.whole.getByTestId('empty-fields-notice').innerText();
	});
});

inPlace('a hint in the output', async (editor) => {
	const item = Object.fromEntries(written.map((name) => [`${name}!`, 'x']));
	const jsonOutput = JSON.stringify({ phone: '+4915123456710', ...item });
	const columns = { mappingMode: 'autoMapInputData', value: {}, schema: [] };
	await editor.openNew(
		manualWorkflow(
			'Hostile texts',
			editFieldsNode({ mode: 'raw', jsonOutput, options: { dotNotation: false } }),
			crmNode({ resource: 'contact', operation: 'sync', columns }),
		),
	);
	const details = await editor.openNode('CRM step');
	await details.execute();
	const hint = details.output.getByText('Columns ignored');
	return await hint.innerText();
});
