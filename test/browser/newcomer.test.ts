/** What somebody meets who uses the nodes for the first time. */
import type { INode } from 'n8n-workflow';

import { triggerWorkflow } from '../n8n/testbed';
import { startEditorBed, type EditorBed } from './editorBed';
import { editorTests } from './editorTests';
import { crmNode, manualWorkflow } from './workflows';

let bed: EditorBed;

beforeAll(async () => (bed = await startEditorBed()), 900_000);
beforeEach(() => {
	bed.sandbox.reset();
	bed.sandbox.restoreKey();
});
afterAll(async () => await bed?.close());

const inEditor = editorTests(() => bed);

const record = (mode: string, value: string) => ({ __rl: true, mode, value });

/** A sheet's rows, and a node after them. */
function sheet(rows: object[], step: INode) {
	return {
		...manualWorkflow('Sheet', step),
		pinData: { Start: rows.map((json) => ({ json })) },
	} as ReturnType<typeof manualWorkflow>;
}

const syncOf = (columns: object, options = {}) =>
	crmNode({ resource: 'contact', operation: 'sync', columns, options } as INode['parameters']);
const automatic = { mappingMode: 'autoMapInputData', value: null, schema: [] };

/** A message to a contact. */
const welcome = (id: string) =>
	crmNode({
		resource: 'message',
		operation: 'sendTemplate',
		contactId: record('id', id),
		template: record('name', 'welcome'),
		variables: { values: [{ name: 'name', value: 'Anna' }] },
	});

const ROWS = [
	{ 'Phone Number': '+49 1512 3456781', 'Full Name': 'Anna Schmidt', City: 'Bonn' },
	{ 'Phone Number': '+49 1512 3456782', 'Full Name': 'Ben Kurz', City: 'Kiel' },
];

inEditor('who may not be messaged comes last in the list, and says so', async (editor) => {
	bed.sandbox.store.addContact({ phone: '+4915123456781', name: 'Anna Schmidt' });
	bed.sandbox.store.addContact({
		phone: '+4915123456782',
		name: 'A very long name that the list would cut off at its end',
		opt_in_status: 'opted_out',
	});
	const send = crmNode({ resource: 'message', operation: 'sendTemplate' });
	await editor.openNew(manualWorkflow('Choose', send));
	const details = await editor.openNode('CRM step');
	expect(await details.records('contactId')).toEqual([
		'Anna Schmidt · +4915123456781',
		expect.stringMatching(/^Opted out · A very long name/),
	]);
});

inEditor('templates are sorted, and show what they say', async (editor) => {
	const send = crmNode({ resource: 'message', operation: 'sendTemplate' });
	await editor.openNew(manualWorkflow('Choose', send));
	const details = await editor.openNode('CRM step');
	expect(await details.records('template')).toEqual([
		'appointment_reminder · Hi {{name}}, see you on {{date}} at {{time}}.',
		'order_shipped · Hi {{1}}, your order {{2}} is on its way.',
		'question · Harbour Coffee asks: {{question}} Please reply yes or no.',
		'spring_offer · Hallo {{1}}, bis Sonntag gibt es {{2}} % auf alle Sorten.',
		'welcome · Welcome, {{name}}!',
	]);
});

inEditor('a message to somebody who opted out says that it was not sent', async (editor) => {
	const { id } = bed.sandbox.store.addContact({
		phone: '+4915123456781',
		opt_in_status: 'opted_out',
	});
	await editor.openNew(manualWorkflow('Send', welcome(id)));
	const details = await editor.openNode('CRM step');
	await details.execute();
	expect((await details.error()).title).toBe('This contact has opted out, so no message was sent');
	await editor.toast('This contact has opted out, so no message was sent').waitFor();
});

inEditor('a sheet comes right at the first run, and its preview tells the same', async (editor) => {
	bed.sandbox.store.addContact({ phone: '+4915123456781', name: 'Anna Schmidt' });
	await editor.openNew(
		sheet(ROWS, syncOf(automatic, { otherColumns: 'attributes', dryRun: true })),
	);
	const details = await editor.openNode('CRM step');
	await details.execute();
	await details.output.getByText('Dry run, nothing was changed: 2 rows, 2 contacts').waitFor();
	const previewed = await details.output
		.getByText(/\d to create, .* without comparing/)
		.innerText();
	expect(bed.sandbox.store.contacts.size).toBe(1);

	await editor.openNew(sheet(ROWS, syncOf(automatic, { otherColumns: 'attributes' })));
	const again = await editor.openNode('CRM step');
	await again.execute();
	const done = await again.output.getByText(/\d created, .* without comparing/).innerText();
	const counts = (text: string) => text.match(/(\d+) (to create|created).* (\d+) (to save|saved)/);
	expect([1, 3].map((at) => counts(done)?.[at])).toEqual(
		[1, 3].map((at) => counts(previewed)?.[at]),
	);
	expect(bed.sandbox.store.findByPhone('+4915123456782')).toMatchObject({
		name: 'Ben Kurz',
		attributes: { City: 'Kiel' },
	});
});

inEditor('a column that the CRM does not know is named, and so is the cure', async (editor) => {
	await editor.openNew(sheet(ROWS, syncOf(automatic)));
	const details = await editor.openNode('CRM step');
	await details.execute();
	await details.output.getByText('Columns ignored: City.').waitFor();
});

inEditor('failed rows are called by number and name, and the others are there', async (editor) => {
	const rows = [...ROWS, { 'Phone Number': '12', 'Full Name': 'Dan Cole' }];
	await editor.openNew(sheet(rows, syncOf(automatic)));
	const details = await editor.openNode('CRM step');
	await details.execute();
	const { title, description } = await details.error();
	expect(title).toContain('1 of 3 items failed');
	expect(description).toContain('[item 3, Dan Cole]');
	expect(description).toContain('2 created');
	expect(bed.sandbox.store.contacts.size).toBe(2);
});

inEditor('a new attribute can be made from the search', async (editor) => {
	const upsert = crmNode({
		resource: 'contact',
		operation: 'upsert',
		phone: '+4915123456781',
		additionalFields: {
			attributes: { values: [{ name: record('list', ''), value: 'Tea' }] },
		},
	});
	await editor.openNew(manualWorkflow('Attribute', upsert));
	const details = await editor.openNode('CRM step');
	await details.chooseRecord('name', 'favourite_drink', 'New attribute: favourite_drink');
	await details.execute();
	await details.firstOutput();
	expect(bed.sandbox.store.findByPhone('+4915123456781')?.attributes).toEqual({
		favourite_drink: 'Tea',
	});
});

inEditor('a publishing that fails says in its toast what to do', async (editor) => {
	await editor.openNew(triggerWorkflow({ events: ['message.received'] }));
	bed.sandbox.revokeKey();
	await editor.startPublishing();
	await editor.toast('Open the credential and paste the key again').waitFor();
});

inEditor('a revoked key is told also where the node goes on', async (editor) => {
	const get = { ...crmNode({ resource: 'workspace', operation: 'get' }) };
	await editor.openNew(manualWorkflow('Get', { ...get, onError: 'continueErrorOutput' }));
	bed.sandbox.revokeKey();
	const details = await editor.openNode('CRM step');
	await details.execute();
	await details.output.getByText('The item failed. The API key was not accepted').waitFor();
});

inEditor('Check API sums up above its output', async (editor) => {
	bed.sandbox.store.addContact({ phone: '+4915123456781', tags: ['vip'] });
	const check = crmNode({ resource: 'workspace', operation: 'checkApi' });
	await editor.openNew(manualWorkflow('Check', check));
	const details = await editor.openNode('CRM step');
	await details.execute();
	await details.output.getByText('All 10 answers are understood.').waitFor();
	expect(await details.firstOutput()).toMatchObject({ endpoint: 'GET /v1/workspace' });
});

inEditor('a body that is refused says what to set, and there it can be set', async (editor) => {
	bed.sandbox.setShapes({ sendBody: 'contactIdCamel', invalidBody: 'fastApi' });
	const { id } = bed.sandbox.store.addContact({ phone: '+4915123456781' });
	await editor.openNew(manualWorkflow('Send', welcome(id)));
	const details = await editor.openNode('CRM step');
	await details.execute();
	const { description } = await details.error();
	expect(description).toContain(
		`In the credential, turn on 'Other Field Names', and set 'Contact Field' to "contactId".`,
	);
	const { credentialDialog: dialog } = editor;
	await dialog.openChosen();
	await dialog.turnOn('otherFieldNames');
	for (const name of ['contactField', 'templateField', 'variablesField', 'enrollContactField']) {
		await dialog.field(name).waitFor();
	}
});
