import type { Locator, Page } from 'playwright-core';

import type { NewWorkflow } from '../n8n/n8nRestClient';
import type { N8nServer } from '../n8n/n8nServer';
import { CredentialDialog } from './credentialDialog';
import { NodeDetails } from './nodeDetails';
import { NodePanel } from './nodePanel';

/** n8n's editor for one workflow, as a person uses it. */
export class Editor {
	readonly credentialDialog: CredentialDialog;
	readonly nodeDetails: NodeDetails;
	readonly nodePanel: NodePanel;

	constructor(
		readonly page: Page,
		private readonly n8n: Pick<N8nServer, 'rest' | 'url'>,
	) {
		this.credentialDialog = new CredentialDialog(page);
		this.nodeDetails = new NodeDetails(page);
		this.nodePanel = new NodePanel(page);
	}

	/** Saves a new workflow and opens it. Gives its id. */
	async openNew(workflow: NewWorkflow): Promise<string> {
		const { id } = await this.n8n.rest.createWorkflow(workflow);
		await this.open(id);
		return id;
	}

	async open(workflowId: string): Promise<void> {
		await this.page.goto(`${this.n8n.url}/workflow/${workflowId}`);
		await this.page.getByTestId('canvas-node').first().waitFor();
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

	/** Runs the workflow, and waits until all of it has run. */
	async execute(): Promise<void> {
		await this.page.getByTestId('execute-workflow-button').click();
		await this.page.getByText('Workflow executed successfully').waitFor();
	}

	/** Forgets what the nodes last gave. Without this, n8n may not execute a second step. */
	async clearExecution(): Promise<void> {
		await this.page.getByTestId('clear-execution-data-button').click();
	}

	/** Publishes the workflow, whatever comes of it. */
	async startPublishing(): Promise<void> {
		await this.page.getByTestId('workflow-open-publish-modal-button').click();
		await this.page.getByTestId('workflow-publish-button').click();
	}

	/** What pops up in a corner, if it has this text. */
	toast(text: string): Locator {
		return this.page.getByRole('alert').filter({ hasText: text }).first();
	}

	/** Publishes the workflow. Gives what n8n then says. */
	async publish(): Promise<string> {
		await this.startPublishing();
		const dialog = this.page.getByTestId('activation-modal');
		const message = await dialog.innerText();
		await dialog.getByRole('button', { name: 'Got it' }).click();
		return message;
	}

	/** Goes to the list of executions. */
	async openExecutions(): Promise<Locator> {
		await this.page.getByTestId('radio-button-executions').click();
		return this.page.getByTestId('current-executions-list');
	}

	async close(): Promise<void> {
		await this.page.close();
	}
}
