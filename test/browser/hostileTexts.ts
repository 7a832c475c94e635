import type { Locator, Page } from 'playwright-core';

import { crmNode, manualWorkflow, triggerWorkflow } from '../../tools/n8n/workflows';
import { ofFeatures } from '../support/features';
import { HOSTILE_TEXT, HOSTILE_TEXTS, UNSEEN } from '../support/hostileTexts';
import type { Editor } from '../../tools/browser/editor';
import type { EditorBed } from '../../tools/browser/editorBed';
import type { NodeDetails } from '../../tools/browser/nodeDetails';
import type { EditorTest } from './editorTests';

const written = HOSTILE_TEXTS.map(([text]) => text);
const seen = HOSTILE_TEXTS.map(([, text]) => text);

/** The tests of a feature. */
export type HostileTextTests = (tools: {
	/** Tests one place; `act` returns the text that it shows. */
	inPlace: (name: string, act: (editor: Editor) => Promise<string>) => void;
	open: (editor: Editor, parameters: Parameters<typeof crmNode>[0]) => Promise<NodeDetails>;
	refuse: (path: RegExp) => void;
}) => void;

/** Hostile texts stay text in each kind of place where the editor shows one. */
export function hostileTextTests(bed: () => EditorBed, inEditor: EditorTest): void {
	beforeEach(() => {
		const { sandbox } = bed();
		written.forEach((name, index) => {
			const phone = `+49151234567${10 + index}`;
			sandbox.store.addContact({ phone, name, tags: [name], attributes: { [name]: 'x' } });
		});
	});

	/** Tests one place; `act` returns the text that it shows. */
	const inPlace = (
		name: string,
		act: (editor: Editor) => Promise<string>,
		expected: readonly string[] = seen,
	) =>
		inEditor(name, async (editor) => {
			const hosts: string[] = [];
			editor.page.on('request', (request) => hosts.push(new URL(request.url()).host));
			const text = await act(editor);
			expect(await elementsMade(editor.page)).toEqual([]);
			expect(hosts).not.toContain('evil.example.com');
			for (const part of expected) expect(text).toContain(part);
			expect(text.replaceAll('\n', ' ')).not.toMatch(UNSEEN);
			expect(text).not.toMatch(/&lt;|&gt;|&amp;/);
		});

	/** Makes the service refuse every request to a path, with a hostile reason. */
	const refuse = (path: RegExp) =>
		bed().sandbox.fail({
			match: { path },
			times: 20,
			kind: { status: 422, detail: HOSTILE_TEXT },
		});

	const open = async (editor: Editor, parameters: Parameters<typeof crmNode>[0]) => {
		await editor.openNew(manualWorkflow([crmNode(parameters)]));
		return await editor.openNode('CRM');
	};

	inPlace('in an error of the service', async (editor) => {
		const details = await open(editor, { resource: 'workspace', operation: 'get' });
		refuse(/workspace/);
		await details.execute();
		return (await details.error()).description;
	});

	inPlace(
		'in the toast of an error that quotes an item',
		async (editor) => {
			const phone = `={{ ${JSON.stringify(written[1])} }}`;
			const details = await open(editor, { resource: 'contact', operation: 'upsert', phone });
			await details.execute();
			await details.error();
			return await editor.toast.innerText();
		},
		['‹a href=\\"https://evil.example.com\\"›evil 2‹/a›'],
	);

	inPlace('in the toast of a test that cannot start', async (editor) => {
		await editor.openNew(triggerWorkflow({ events: ['message.received'] }));
		refuse(/subscriptions/);
		await (await editor.openNode('Trigger')).execute();
		await editor.toast.waitFor();
		return await editor.toast.innerText();
	});

	inPlace('in a list of records, and in the chosen record', async (editor) => {
		const details = await open(editor, { resource: 'contact', operation: 'get' });
		const locator = details.whole.getByTestId('resource-locator-contactId');
		await locator.getByTestId('rlc-input').click();
		const list = editor.page.getByTestId('rlc-item').filter({ visible: true });
		const chosen = list.filter({ hasText: 'evil 2' });
		await chosen.waitFor();
		const texts = await list.allInnerTexts();
		await chosen.click();
		expect(await valuesOf(locator.locator('input'))).toContainEqual(
			expect.stringContaining(seen[1]),
		);
		return texts.join(' ');
	});

	inPlace('in a list with several choices', async (editor) => {
		const details = await open(editor, { resource: 'tag', operation: 'add' });
		const texts = await details.choices('knownTags');
		await details.choose('knownTags', seen[1]);
		expect(await details.parameter('knownTags').innerText()).toContain(seen[1]);
		return texts.join(' ');
	});

	for (const feature of ofFeatures<{ hostileTextTests: HostileTextTests }>(
		'hostileTexts',
		'test/browser',
	)) {
		feature.hostileTextTests({ inPlace, open, refuse });
	}
}

/** The elements that a hostile text has created or styled. */
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
