import type { Locator, Page } from 'playwright-core';

/** The dialog in which a credential is made and changed. */
export class CredentialDialog {
	readonly whole: Locator;

	constructor(private readonly page: Page) {
		this.whole = page.getByTestId('editCredential-modal');
	}

	/** Opens it for a new credential of the node whose details are open. */
	async openNew(): Promise<void> {
		await this.page.getByTestId('node-credentials-select').click();
		await this.page
			.getByTestId('node-credentials-select-item-new')
			.filter({ visible: true })
			.click();
		await this.whole.waitFor();
	}

	/** Opens it for the credential that the node has. */
	async openChosen(): Promise<void> {
		await this.page.getByTestId('credential-edit-button').click();
		await this.whole.waitFor();
	}

	async fill(field: string, value: string): Promise<void> {
		await this.whole.getByTestId(`parameter-input-${field}`).locator('input').fill(value);
	}

	field(name: string): Locator {
		return this.whole.getByTestId(`parameter-input-${name}`);
	}

	async turnOn(field: string): Promise<void> {
		// the switch itself is hidden behind what is drawn
		await this.field(field).locator('.el-switch').click();
	}

	async save(): Promise<void> {
		await this.whole.getByTestId('credential-save-button').click();
	}

	/** Shows all that n8n says about a connection that failed. */
	async showDetails(): Promise<void> {
		await this.whole.getByText('More details').click();
	}
}
