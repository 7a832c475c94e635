import type { Locator, Page } from 'playwright-core';

import type { NewWorkflow } from '../n8n/n8nRestClient';
import type { N8nServer } from '../n8n/n8nServer';
import { NodeDetails } from './nodeDetails';

/** A workflow that takes longer to appear is loaded again. */
const SLOW_MS = 40_000;

/** n8n's editor for one workflow, as a person uses it. */
export class Editor {
	readonly nodeDetails: NodeDetails;
	readonly nodePanel: NodePanel;

	constructor(
		readonly page: Page,
		private readonly n8n: Pick<N8nServer, 'rest' | 'url'>,
	) {
		this.nodeDetails = new NodeDetails(page);
		this.nodePanel = new NodePanel(page);
	}

	/** Saves a new workflow and opens it. Returns its id. */
	async openNew(workflow: NewWorkflow): Promise<string> {
		const { id } = await this.n8n.rest.createWorkflow(workflow);
		await this.open(id);
		return id;
	}

	async open(workflowId: string): Promise<void> {
		const address = `/workflow/${workflowId}`;
		if (this.page.url() === 'about:blank') await this.page.goto(this.n8n.url + address);
		else {
			// So that messages about the previous workflow do not pass for those of the next one.
			await this.closeToasts();
			await this.visit('/settings/personal');
			const settings = this.page.getByTestId('personal-settings-container');
			const leave = this.page.getByRole('button', { name: 'Leave without saving' });
			await settings.or(leave).first().waitFor();
			if (await leave.isVisible()) await leave.click();
			await settings.waitFor();
			await this.visit(address);
		}
		// On a busy machine, n8n sometimes does not show all of them.
		await this.waitForNodes(workflowId, SLOW_MS).catch(async () => {
			await this.page.reload();
			await this.waitForNodes(workflowId);
		});
	}

	private async waitForNodes(workflowId: string, timeout?: number): Promise<void> {
		const { nodes } = await this.n8n.rest.getWorkflow(workflowId);
		for (const { name, type } of nodes) {
			if (type !== 'n8n-nodes-base.stickyNote') await this.node(name).waitFor({ timeout });
		}
	}

	/** One by one: those that are left move up, and any may close by itself. */
	private async closeToasts(): Promise<void> {
		const close = this.page.locator('.el-notification__closeBtn').first();
		for (let tries = 0; tries < 20 && (await close.isVisible()); tries += 1) {
			await close.click({ timeout: 2_000 }).catch(() => {});
		}
	}

	/** As the browser's own buttons do: without loading the editor again, which takes seconds. */
	private async visit(address: string): Promise<void> {
		await this.page.evaluate(`
			history.pushState(history.state, '', ${JSON.stringify(address)});
			dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
		`);
	}

	/** A node on the canvas. */
	node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	async openNode(name: string): Promise<NodeDetails> {
		await this.node(name).dblclick();
		await this.nodeDetails.whole.waitFor();
		return this.nodeDetails;
	}

	/** Runs the workflow. */
	async startExecution(): Promise<void> {
		await this.page.getByTestId('execute-workflow-button').click();
	}

	/** Waits until the whole workflow has run. */
	async untilExecuted(): Promise<void> {
		await this.page.getByText('Workflow executed successfully').waitFor();
	}

	/** Starts to publish the workflow. This may fail. */
	async startPublishing(): Promise<void> {
		await this.page.getByTestId('workflow-open-publish-modal-button').click();
		await this.page.getByTestId('workflow-publish-button').click();
	}

	/** The newest message that pops up in a corner. */
	get toast(): Locator {
		return this.page.locator('.el-notification').last();
	}

	async close(): Promise<void> {
		await this.page.close();
	}
}

interface Animated {
	getAnimations(options: { subtree: boolean }): Array<{ finished: Promise<unknown> }>;
}

/** The panel from which nodes are added. */
class NodePanel {
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
		// results of an earlier search must not pass for those of this one
		await this.searchBar.fill('nothing is called so');
		await this.panel.getByTestId('node-creator-no-results').waitFor();
		await this.searchBar.fill(text);
	}

	/** Chooses a node of a community package. Returns the names of its actions. */
	async openNode(name: string): Promise<string[]> {
		await this.item(name).click();
		// the list that was searched stays for a moment beside its replacement
		await this.item(name).waitFor({ state: 'hidden' });
		// a click while the lists slide can close the panel instead
		await this.panel.evaluate(async (panel: Animated) => {
			const moving = panel.getAnimations({ subtree: true });
			await Promise.allSettled(moving.map(({ finished }) => finished));
		});
		return await this.panel.getByTestId('node-creator-item-name').allInnerTexts();
	}

	/** A node, or one of the actions of the chosen node. */
	item(name: string): Locator {
		const text = this.page.getByText(name, { exact: true });
		return this.panel.getByTestId('item-iterator-item').filter({ has: text });
	}
}
