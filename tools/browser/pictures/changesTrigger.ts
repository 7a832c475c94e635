import { chosen } from '../../engine/engine';
import { changesNode } from '../../n8n/changesNode';
import { workflowOf } from '../../n8n/workflows';
import type { Picture } from '../picture';

export const picture: Picture = {
	name: 'changes-trigger',
	async show(editor) {
		const segmentId = { ...chosen('list', 'seg_vip'), cachedResultName: 'VIP customers' };
		const pollTimes = { item: [{ mode: 'everyX', value: 10, unit: 'minutes' }] };
		const parameters = { pollTimes, watch: 'segment', segmentId, events: ['entered'] };
		await editor.openNew(workflowOf([changesNode(parameters)]));
		const details = await editor.openNode('Changes');
		await details.execute();
		await details.output.getByTestId('node-run-status-success').waitFor();
		await details.showOutputAs('schema');
	},
};
