import { Workflow, type INodeParameters } from 'n8n-workflow';

import { WorkspaceCrm } from '../../../../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import { crmNode, nodeTypes } from '../../../../../tools/engine/nodes';

const { hints = [] } = new WorkspaceCrm().description;

/** The hints that the editor shows for a node with these parameters, by n8n's own expressions. */
function shownFor(parameters: INodeParameters): string[] {
	const node = crmNode(parameters);
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: nodeTypes(),
	});
	return hints
		.filter(
			({ displayCondition }) =>
				workflow.expression.getSimpleParameterValue(
					node,
					displayCondition,
					'internal',
					{ $rawParameter: node.parameters },
					undefined,
					false,
				) === true,
		)
		.map(({ message }) => message);
}

test('hint at how a sync matches columns, and where others go', () => {
	const sync = { resource: 'contact', operation: 'sync' };
	expect(shownFor({ ...sync, columns: { mappingMode: 'autoMapInputData' } })).toEqual([
		expect.stringMatching(
			/^To see what a run would change, turn on 'Dry Run'.+'Default Country'.+Input fields are matched by their names: Phone, Name, /,
		),
	]);
	expect(shownFor({ ...sync, columns: { mappingMode: 'defineBelow' } })).toEqual([
		expect.stringMatching(
			/^To see what a run would change, turn on 'Dry Run'.+'Default Country'.+Is a column missing/,
		),
	]);
	const options = { dryRun: true };
	expect(shownFor({ ...sync, columns: { mappingMode: 'defineBelow' }, options })).toEqual([]);
});
