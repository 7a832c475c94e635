import type { INodeParameters, INodePropertyOptions } from 'n8n-workflow';

import { WorkspaceCrm } from '../../../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import type { Calls } from '../../../../tools/engine/agent';
import { asTool } from '../../../../tools/engine/nodes';
import { fromModel, runAgent, toolNode } from '../../runAgent';
import { addContact, useSandbox } from '../../support';

/** What a language model reads about the node, and what its calls do. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });

describe('a campaign', () => {
	const campaign: INodeParameters = {
		resource: 'message',
		operation: 'sendCampaign',
		contactId: { __rl: true, mode: 'id', value: fromModel('Contact') },
		template: { __rl: true, mode: 'name', value: 'welcome' },
		campaignKey: 'spring',
	};

	test.each(['engine', 'function'] as const)(
		'cannot be sent by an agent, called by the %s',
		async (by) => {
			const { id } = addContact(sandbox, { opt_in_status: 'confirmed' });
			const calls: Calls = { by, values: [{ Contact: id }] };
			const answer = await runAgent(sandbox, [toolNode(campaign)], calls);
			expect(JSON.stringify(answer)).toContain("AI agents may not use 'Send Campaign'");
			expect(sandbox.requests).toEqual([]);
		},
	);

	test('is not offered in the editor of a tool', () => {
		const { properties } = asTool(new WorkspaceCrm()).description;
		const operations = properties.filter(({ name }) => name === 'operation');
		const option = operations
			.flatMap(({ options = [] }) => options as INodePropertyOptions[])
			.find(({ value }) => value === 'sendCampaign');
		expect(option?.displayOptions).toEqual({ hide: { '@tool': [true] } });
	});
});
