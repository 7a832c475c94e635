import type { Locator, Page } from 'playwright-core';

import { poll } from '../n8n/poll';

/** How long n8n takes to open a list, and a little more. */
const ANIMATION_MS = 500;

/** What opens when a node is double-clicked: its parameters and its output. */
export class NodeDetails {
	readonly whole: Locator;
	readonly output: Locator;

	constructor(private readonly page: Page) {
		this.whole = page.getByTestId('ndv');
		this.output = page.getByTestId('output-panel');
	}

	parameter(name: string): Locator {
		return this.whole.getByTestId(`parameter-input-${name}`);
	}

	/** The labels of the fields and collections that are shown. */
	async labels(): Promise<string[]> {
		const labels = this.whole.getByTestId('input-label').filter({ visible: true });
		return (await labels.allInnerTexts()).map(firstLine);
	}

	/** The entries of a drop-down, without their descriptions. */
	async choices(name: string): Promise<string[]> {
		return await this.entriesOf(this.parameter(name));
	}

	/** Chooses an entry of a drop-down, also one of which several can be chosen. */
	async choose(name: string, entry: string): Promise<void> {
		await this.chooseIn(this.parameter(name), entry);
	}

	/** What can be added to a collection, by the text of its drop-down. */
	async additions(collection: string): Promise<string[]> {
		return await this.entriesOf(this.additionsOf(collection));
	}

	async add(collection: string, entry: string): Promise<void> {
		await this.chooseIn(this.additionsOf(collection), entry);
	}

	/** Searches the list of the service for a text, and chooses a record. */
	async chooseRecord(name: string, searched: string, shown: string): Promise<void> {
		await this.whole.getByTestId(`resource-locator-${name}`).getByTestId('rlc-input').click();
		await this.page.getByTestId('rlc-search').filter({ visible: true }).fill(searched);
		await this.page.getByTestId('rlc-item').filter({ hasText: shown }).click();
	}

	/** The names of the columns that values can be mapped to. */
	async columns(): Promise<string[]> {
		const mapper = this.whole.getByTestId('resource-mapper-container');
		const labels = mapper.getByTestId('input-label').filter({
			has: this.page.getByTestId(/^value\[/),
		});
		await labels.first().waitFor();
		return (await labels.allInnerTexts()).map(firstLine);
	}

	/** Runs this node, and those before it that it needs. */
	async execute(): Promise<void> {
		await this.whole.getByTestId('node-execute-button').click();
	}

	/** The first item of the output, by column. Waits for the run to end well. */
	async firstOutput(): Promise<Record<string, string>> {
		await this.output.getByTestId('node-run-status-success').waitFor();
		const values = this.output.locator('table tbody tr').first().locator('td');
		await values.first().waitFor();
		const names = await this.output.locator('table thead th').allInnerTexts();
		const texts = await values.allInnerTexts();
		const cells = names.map((name, index) => [name.trim(), texts[index].trim()]);
		// the last column is only there to fill the width
		return Object.fromEntries(cells.filter(([name]) => name !== ''));
	}

	/** Shows the output in one of n8n's ways. Waits for it. */
	async showOutputAs(way: 'schema' | 'table' | 'json'): Promise<void> {
		await this.output.getByTestId(`radio-button-${way}`).click();
	}

	/** The title and the description of the error that the run ended with. */
	async error(): Promise<{ title: string; description: string }> {
		return {
			title: await this.output.getByTestId('node-error-message').innerText(),
			description: await this.output.getByTestId('node-error-description').innerText(),
		};
	}

	async close(): Promise<void> {
		await this.whole.getByTestId('ndv-close-button').click();
		await this.whole.waitFor({ state: 'hidden' });
	}

	/** The drop-down below a collection, by its text. */
	private additionsOf(collection: string): Locator {
		const text = this.page.getByPlaceholder(collection);
		return this.whole.locator('.el-select').filter({ has: text });
	}

	private async entriesOf(field: Locator): Promise<string[]> {
		const list = await this.openDropDown(field);
		const texts = await list.getByRole('option').allInnerTexts();
		await this.closeDropDown(list);
		return texts.map(firstLine);
	}

	private async chooseIn(field: Locator, entry: string): Promise<void> {
		const list = await this.openDropDown(field);
		const text = this.page.getByText(entry, { exact: true });
		await list.getByRole('option').filter({ has: text }).click();
		await this.closeDropDown(list);
	}

	private async openDropDown(field: Locator): Promise<Locator> {
		// where several can be chosen, there are two
		const box = field.getByRole('combobox').last();
		// The list stands elsewhere in the page, and lists of other drop-downs stay there, hidden.
		const list = this.page.locator(`[id="${await box.getAttribute('aria-controls')}"]`);
		// It closes when its entries come while it opens.
		const open = async () => {
			if (!(await list.isVisible())) await field.click();
			await this.page.waitForTimeout(ANIMATION_MS);
			return await list.isVisible();
		};
		await poll(open, (isOpen) => isOpen, 'the list of a drop-down');
		return list;
	}

	private async closeDropDown(list: Locator): Promise<void> {
		if (await list.isVisible()) await this.page.keyboard.press('Escape');
		await list.waitFor({ state: 'hidden' });
	}
}

/** A label without the buttons beside it, or a choice without its description below. */
function firstLine(text: string): string {
	return text.split('\n')[0];
}
