import type { Locator, Page } from 'playwright-core';

/** The panel from which nodes are added. */
export class NodePanel {
	private readonly panel: Locator;
	private readonly searchBar: Locator;

	constructor(private readonly page: Page) {
		this.panel = page.getByTestId('node-creator');
		this.searchBar = this.panel.getByTestId('node-creator-search-bar');
	}

	async open(): Promise<void> {
		await this.page.keyboard.press('n');
		await this.searchBar.waitFor();
	}

	/** Types a text in place of what was there. */
	async search(text: string): Promise<void> {
		// what an earlier text has found must not be taken for what this one finds
		await this.searchBar.fill('nothing is called so');
		await this.panel.getByTestId('node-creator-no-results').waitFor();
		await this.searchBar.fill(text);
	}

	/** Chooses a node of a community package, and gives the names of the actions that it offers. */
	async openNode(name: string): Promise<string[]> {
		await this.item(name).click();
		// the list that was searched stays for a moment beside what comes in its place
		await this.item(name).waitFor({ state: 'hidden' });
		return await this.panel.getByTestId('node-creator-item-name').allInnerTexts();
	}

	/** A node, or one of the actions of the node that was chosen. */
	item(name: string): Locator {
		const text = this.page.getByText(name, { exact: true });
		return this.panel.getByTestId('item-iterator-item').filter({ has: text });
	}
}
