/** Whoever wants to hear of changes finds the trigger, is offered what fits, and sees what it costs. */
import { changesNode, changesWorkflow, CHANGES } from '../n8n/changesRuns';
import { addContacts } from '../workflow/support';
import { startEditorBed, type EditorBed } from './editorBed';
import { editorTests } from './editorTests';
import { manualWorkflow } from './workflows';

let bed: EditorBed;
beforeAll(async () => (bed = await startEditorBed()), 900_000);
beforeEach(() => bed.sandbox.reset());
afterAll(async () => await bed?.close());

const inEditor = editorTests(() => bed);

inEditor('the trigger is found by "changes"', async (editor) => {
	await editor.openNew(manualWorkflow('Search'));
	await editor.nodePanel.open();
	await editor.nodePanel.search('changes');
	// n8n leaves out "Trigger" here.
	await editor.nodePanel.item('Workspace CRM Changes').waitFor();
});

inEditor('it offers the events that fit what is watched, and their fields', async (editor) => {
	await editor.openNew(changesWorkflow(changesNode({ watch: 'all', events: ['updated'] })));
	const details = await editor.openNode(CHANGES);
	await details.parameter('fields').waitFor();
	const ofContacts = [
		'Consent Changed',
		'Entered',
		'Erased',
		'Tag Added',
		'Tag Removed',
		'Updated',
	];
	expect(await details.choices('events')).toEqual(ofContacts);
	await details.choose('watch', 'Segment');
	await details.parameter('fields').waitFor({ state: 'hidden' });
	await details.parameter('segmentId').waitFor();
	expect(await details.choices('events')).toEqual(['Entered', 'Erased', 'Left']);
	await details.choose('watch', 'Contacts by Filter');
	expect(await details.choices('events')).toEqual([...ofContacts, 'Left'].sort());
});

inEditor('a test step shows real contacts as samples, with the cost', async (editor) => {
	addContacts(bed.sandbox, 250, { tags: ['vip'], opt_in_status: 'confirmed' });
	const segmentId = {
		__rl: true,
		mode: 'list',
		value: 'seg_vip',
		cachedResultName: 'VIP customers',
	};
	const pollTimes = { item: [{ mode: 'everyX', value: 5, unit: 'minutes' }] };
	await editor.openNew(
		changesWorkflow(
			changesNode({ watch: 'segment', segmentId, events: ['entered', 'left'], pollTimes }),
		),
	);
	const details = await editor.openNode(CHANGES);
	await details.execute();
	await details.output.getByText('2 items').waitFor();
	await details.showOutputAs('json');
	const output = details.output;
	await output.getByText('Contact 0').first().waitFor();
	await output
		.getByText(/Reading 250 contacts takes 3 requests a poll/)
		.first()
		.waitFor();
});
