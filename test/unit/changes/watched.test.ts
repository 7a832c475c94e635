import { NodeHelpers, type INodePropertyOptions } from 'n8n-workflow';

import { WorkspaceCrmChangesTrigger } from '../../../nodes/WorkspaceCrm/WorkspaceCrmChangesTrigger.node';
import { changesNode } from '../../../tools/n8n/changesNode';

const { description } = new WorkspaceCrmChangesTrigger();

/** The parameters that the editor has for a node, with the defaults, which it does not save. */
function withDefaults(parameters: Parameters<typeof changesNode>[0]) {
	const node = changesNode(parameters);
	return NodeHelpers.getNodeParameters(
		description.properties,
		node.parameters,
		true,
		false,
		node,
		description,
	);
}

test.each(['segment', 'filter', 'all'])(
	"another choice in 'Watch' leaves 'Entered' as it is: %s",
	(watch) => {
		expect(withDefaults({ watch })).toMatchObject({ events: ['entered'] });
	},
);

test('the node panel offers a new contact', () => {
	const events = description.properties.find(({ name }) => name === 'events');
	const [entered] = events?.options as INodePropertyOptions[];
	expect(entered).toMatchObject({ value: 'entered', action: 'New Contact in Segment or List' });
});

test('the hint after a test says that it shows an example', () => {
	const [hint] =
		description.hints?.filter(({ whenToDisplay }) => whenToDisplay === 'afterExecution') ?? [];
	expect(hint).toMatchObject({
		message: expect.stringContaining('a test shows an example, not a change'),
		displayCondition: expect.stringContaining('startForExisting'),
	});
});
