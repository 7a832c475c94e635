import type { INodeParameters } from 'n8n-workflow';

import type { Contact, Sandbox } from '../../../../tools/sandbox';
import { runNode, type NodeRun } from '../../../../tools/engine/runNode';
import { resultIn } from '../../marks';
import { processInTime } from '../../shutDoor';
import { chosen, variablesOf } from '../../support';

/** Send Campaign, as the editor saves it. */
export function campaign(
	options: INodeParameters = {},
	more: INodeParameters = {},
): INodeParameters {
	return {
		resource: 'message',
		operation: 'sendCampaign',
		contactId: chosen('id', '={{ $json.id }}'),
		template: chosen('name', 'welcome'),
		templateVariables: variablesOf({ name: 'dear customer' }),
		campaignKey: 'spring',
		options,
		...more,
	};
}

type CampaignRun = Omit<NodeRun, 'parameters'> & { parameters?: INodeParameters };

/** Runs a campaign to contacts, by ID, in a process of its own. */
export async function runCampaign(
	sandbox: Sandbox,
	contacts: readonly Contact[],
	{ parameters = campaign(), ...run }: CampaignRun = {},
) {
	const items = contacts.map(({ id, phone }) => ({ id, phone }));
	const onError = 'continueErrorOutput';
	const result = await runNode(sandbox, {
		parameters,
		items,
		onError,
		// Nothing is known of earlier runs, and waiting takes no time.
		runtime: processInTime(),
		...run,
	});
	const all = [...result.output, ...result.failedOutput];
	const ofItem = (item: number) => all.find(({ pairedItem }) => isOf(pairedItem, item))?.json;
	return {
		...result,
		/** What the output of each item says of its message. */
		campaigns: items.map((_, item) => resultIn(ofItem(item))),
		/** The output of each item as text. */
		texts: items.map((_, item) => JSON.stringify(ofItem(item) ?? {})),
		results: items.map((_, item) => ofItem(item)?.result),
		/** Why each item is skipped, or else its result. */
		codes: items.map((_, item) => ofItem(item)?.code ?? ofItem(item)?.result),
	};
}

function isOf(pairedItem: unknown, item: number): boolean {
	return typeof pairedItem === 'object' && (pairedItem as { item?: number })?.item === item;
}
