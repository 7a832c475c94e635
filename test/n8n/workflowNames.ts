import type { N8nRestClient, SavedWorkflow } from './n8nRestClient';

const LOOK_UP_EVERY_MS = 3_000;

/** The names of the workflows that the webhook URLs of an n8n start, for the sandbox's console. */
export class WorkflowNames {
	/** By the webhook ids of their triggers. */
	private readonly names = new Map<string, string>();
	private rest?: N8nRestClient;
	private nextLookUpMs = 0;

	/** From now on, names are looked up here. */
	lookUpIn(rest: N8nRestClient): void {
		this.rest = rest;
	}

	/** Undefined until it is found: then the next call has it. */
	labelOf(url: string): string | undefined {
		const [, webhookId = ''] = /\/webhook(?:-test)?\/([^/]+)/.exec(url) ?? [];
		const name = this.names.get(webhookId);
		if (name === undefined && this.rest && Date.now() >= this.nextLookUpMs) {
			this.nextLookUpMs = Date.now() + LOOK_UP_EVERY_MS;
			// A console without names is better than a demo that ends.
			void this.lookUp(this.rest).catch(() => undefined);
		}
		return name && `Workflow: ${name}`;
	}

	private async lookUp(rest: N8nRestClient): Promise<void> {
		const workflows = await rest.get<Array<{ id: string }>>('/workflows');
		for (const { id } of workflows) {
			const { name, nodes } = await rest.get<SavedWorkflow>(`/workflows/${id}`);
			for (const { webhookId } of nodes) {
				if (webhookId !== undefined) this.names.set(webhookId, name);
			}
		}
	}
}
