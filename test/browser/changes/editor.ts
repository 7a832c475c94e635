import { changesNode } from '../../../tools/n8n/changesNode';
import { manualWorkflow, workflowOf } from '../../../tools/n8n/workflows';
import type { EditorTests } from '../editorTests';

export const editorTests: EditorTests = (inEditor) => {
	inEditor(
		'the node panel lists the events of a segment, and opens the Changes Trigger with the chosen one',
		async (editor) => {
			await editor.openNew(manualWorkflow([]));
			await editor.nodePanel.open();
			await editor.nodePanel.search('changes');
			// n8n leaves out "Trigger" here
			expect(await editor.nodePanel.openNode('Workspace CRM Changes')).toEqual([
				'New Contact in Segment or List',
				'Contact Erased',
				'Contact Left Segment',
			]);
			await editor.nodePanel.item('Contact Left Segment').click();
			const watch = editor.nodeDetails.parameter('watch').locator('input');
			expect(await watch.inputValue()).toBe('Segment');
			await editor.nodeDetails.parameter('segmentId').waitFor();
			await editor.nodeDetails.parameter('events').getByText('Left').waitFor();
		},
	);

	inEditor('the Changes Trigger offers only the events of what it watches', async (editor) => {
		await editor.openNew(workflowOf([changesNode({ watch: 'all', events: ['updated'] })]));
		const details = await editor.openNode('Changes');
		await details.parameter('fields').waitFor();
		expect(await details.choices('events')).not.toContain('Left');
		await details.choose('watch', 'Segment');
		await details.parameter('fields').waitFor({ state: 'hidden' });
		await details.parameter('segmentId').waitFor();
		expect(await details.choices('events')).toEqual(['Entered', 'Erased', 'Left']);
	});
};
