import type { INodeParameters } from 'n8n-workflow';

import { outputItems } from '../../tools/n8n/n8nRestClient';
import { crmNode, node, workflowOf } from '../../tools/n8n/workflows';
import { BLANK, forms as allForms, item, REFUSED } from '../workflow/expressionForms';
import { addContact, chosen } from '../workflow/support';
import { useTestbed } from './useTestbed';

/** The fast tests have n8n's older expression engine; a server has one that runs in an isolate. */
const bed = useTestbed();

/**
 * A part is asked again whether it is blank. In the isolate, each expression has an item of its own, so a part that
 * takes from a list finds something there again, and is not known to have been blank in the text.
 */
const forms = allForms.filter(([saved]) => !String(saved).includes('.pop()'));

const nodeOf = (index: number) => `Form ${index}`;

test('each form of an expression becomes what it becomes in the older engine', async () => {
	const { rest } = bed.n8n;
	addContact(bed.sandbox, { id: item.id, phone: item.phone });
	const nodes = forms.map(([value], index) =>
		crmNode(
			{
				resource: 'message',
				operation: 'sendTemplate',
				contactId: chosen('id', item.id),
				template: chosen('name', 'welcome'),
				options: { sendBlankVariables: true, variables: { values: [{ name: 'name', value }] } },
			} as INodeParameters,
			{ name: nodeOf(index), id: `form${index}`, onError: 'continueErrorOutput' },
		),
	);
	const start = node('Start', 'n8n-nodes-base.manualTrigger');
	const links = nodes.map(({ name }) => ({ node: name, type: 'main' as const, index: 0 }));
	const { id } = await rest.createWorkflow(
		workflowOf(
			[start, ...nodes],
			{ Start: { main: [links] } },
			{ pinData: { Start: [{ json: item }] } },
		),
	);
	const { data } = await rest.runWorkflow(id, 'Start');
	const outcomes = forms.map(([saved], index) => {
		const [sent] = outputItems(data, nodeOf(index));
		const [failed] = outputItems(data, nodeOf(index), 1);
		if (failed) return [saved, REFUSED, failed.error];
		return [saved, (sent?.variables as { name?: string } | undefined)?.name ?? BLANK];
	});
	const expected = forms.map(([saved, name, variable = name]) =>
		variable === REFUSED ? [saved, REFUSED, expect.stringMatching(/./)] : [saved, variable],
	);
	expect(outcomes).toEqual(expected);
});
