/** What only n8n's editor shows. What the nodes send, return and say is tested in `test/workflow`. */
import { resources } from '../../nodes/WorkspaceCrm/resources';
import { crmNode, manualWorkflow, triggerWorkflow } from '../../tools/n8n/workflows';
import { addContacts, chosen } from '../workflow/support';
import { startEditorBed, type EditorBed } from '../../tools/browser/editorBed';
import { editorTests } from './editorTests';
import { variableTests } from './templateVariables';

let bed: EditorBed;

beforeAll(async () => (bed = await startEditorBed()), 900_000);
beforeEach(() => bed.sandbox.reset());
afterAll(async () => await bed?.close());

const inEditor = editorTests(() => bed);

const unknownContact = chosen('id', '3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b');
const getContact = (contactId = unknownContact) =>
	crmNode({ resource: 'contact', operation: 'get', contactId });

inEditor(
	'the node panel finds the nodes by common words, and adds an action under its name',
	async (editor) => {
		await editor.openNew(manualWorkflow([]));
		await editor.nodePanel.open();
		for (const text of [
			'whatsapp',
			'contacts',
			'opt-in',
			'opt out',
			'unsubscribe',
			'newsletter',
			'mailing',
			'send message',
			'wait for reply',
			'webhook',
		]) {
			await editor.nodePanel.search(text);
			await editor.nodePanel.item('Workspace CRM').waitFor();
		}
		await editor.nodePanel.search('crm');
		expect(await editor.nodePanel.openNode('Workspace CRM')).toEqual(
			resources.flatMap(({ operations }) => operations.map(({ action }) => action)),
		);
		await editor.nodePanel.item('Get many contacts').click();
		await editor.nodeDetails.close();
		const node = editor.node('Get many contacts');
		expect(await node.innerText()).toMatch(/^Get many contacts\s+Contact: Get Many$/);
	},
);

test.each([
	['dark', 'workspaceCrm.dark.svg'],
	['light', 'workspaceCrm.svg'],
] as const)('the icon is shown in %s mode', async (colorScheme, file) => {
	// n8n may not notice a change in an open editor.
	const editor = await bed.openEditor({ colorScheme });
	await editor.openNew(triggerWorkflow({ events: [] }));
	const icon = editor.node('Trigger').locator(`img[src$="/${file}"]`);
	await icon.waitFor();
	// a picture that could not be loaded has no width
	const width = await icon.evaluate((image) => Reflect.get(image, 'naturalWidth'));
	expect(width).toBeGreaterThan(0);
	await editor.close();
});

inEditor(
	'a credential is tested when it is saved, and a wrong key is explained',
	async (editor) => {
		const { page } = editor;
		const dialog = page.getByTestId('editCredential-modal');
		const fill = async (field: string, value: string) =>
			await dialog.getByTestId(`parameter-input-${field}`).locator('input').fill(value);
		const save = async () => await dialog.getByTestId('credential-save-button').click();

		await editor.openNew(manualWorkflow([getContact()]));
		await editor.openNode('CRM');
		await page.getByTestId('node-credentials-select').click();
		await page.getByTestId('node-credentials-select-item-new').filter({ visible: true }).click();
		await fill('baseUrl', bed.sandbox.url);
		await fill('apiKey', 'a wrong key');
		await save();
		await dialog.getByText('More details').click();
		await dialog.getByText('The API key was not accepted.').waitFor();

		await fill('apiKey', bed.sandbox.apiKey);
		await save();
		await dialog.waitFor({ state: 'hidden' });
		await page.getByTestId('credential-edit-button').click();
		await dialog.getByText('Connection tested successfully').waitFor();
		await dialog.getByRole('button', { name: 'Close' }).click();
	},
);

inEditor('a contact can be searched for and read', async (editor) => {
	const { id, name, phone } = addContacts(bed.sandbox, 150)[120];
	await editor.openNew(manualWorkflow([crmNode({ resource: 'contact', operation: 'get' })]));
	const details = await editor.openNode('CRM');
	await details.chooseRecord('contactId', String(name), phone);
	await details.execute();
	expect(await details.firstOutput()).toMatchObject({ id, name, phone });
});

inEditor('a template shows its text, in the list and beside its variables', async (editor) => {
	const parameters = { resource: 'message', operation: 'sendTemplate' };
	await editor.openNew(manualWorkflow([crmNode(parameters)]));
	const details = await editor.openNode('CRM');
	await details.chooseRecord('template', 'on its way', 'Hi {{1}}, your order {{2}} is on its way.');
	expect(await details.columns()).toEqual([
		'1: Hi {{1}}, your order {{2}}…',
		'2: …order {{2}} is on its…',
	]);
});

describe('the variables of a template appear without input', () =>
	variableTests('sendTemplate', inEditor));

describe('an error', () => {
	inEditor('shows what happened and what to do', async (editor) => {
		await editor.openNew(manualWorkflow([getContact(chosen('phone', '0170 5556677'))]));
		const details = await editor.openNode('CRM');
		await details.execute();
		expect(await details.error()).toEqual({
			title: expect.stringContaining('The phone number "0170 5556677" has no country code'),
			description: expect.stringContaining("Set 'Default Country' (below"),
		});
	});

	inEditor('of an item is shown above the output of a node that continues', async (editor) => {
		const step = { ...getContact(), onError: 'continueErrorOutput' as const };
		await editor.openNew(manualWorkflow([step]));
		const details = await editor.openNode('CRM');
		await details.execute();
		await details.output
			.getByText('The item failed. The record does not exist in this workspace')
			.waitFor();
	});

	inEditor('while publishing says in its toast what to do', async (editor) => {
		await editor.openNew(triggerWorkflow({ events: ['message.received'] }));
		bed.sandbox.revokeKey();
		await editor.startPublishing();
		await editor.toast.getByText('Open the credential and paste the key again').waitFor();
		bed.sandbox.restoreKey();
	});
});

inEditor('a trigger published in the editor starts executions', async (editor) => {
	const id = await editor.openNew(triggerWorkflow({ events: [] }));
	const details = await editor.openNode('Trigger');
	await details.choose('events', 'Message Received');
	await details.close();
	await editor.startPublishing();
	const dialog = editor.page.getByTestId('activation-modal');
	await dialog.getByText('Workspace CRM now sends the chosen events to this workflow').waitFor();
	await dialog.getByRole('button', { name: 'Got it' }).click();

	await editor.page.getByTestId('radio-button-executions').click();
	bed.sandbox.emit.inboundMessage({ phone: '+4915123456789' }, 'Hello');
	const executions = editor.page.getByTestId('current-executions-list');
	await executions.getByText('Succeeded in').waitFor();
	await bed.rest.unpublish(id);
});

inEditor(
	'a trigger shows three fields at first, and options for the chosen events',
	async (editor) => {
		await editor.openNew(triggerWorkflow({ events: ['tag.added'] }));
		const details = await editor.openNode('Trigger');
		expect(await details.labels()).toEqual(['Trigger On', 'Simplify', 'Options']);
		await details.whole.getByText("The node's docs have a sample of each event").waitFor();
		const options = ['Max Age (Minutes)', 'Tag Names or IDs'];
		expect(await details.additions('Add option')).toEqual(options);
	},
);

inEditor(
	'a trigger without an event is marked, and says which field is missing',
	async (editor) => {
		await editor.openNew(triggerWorkflow({ events: [] }));
		await editor.node('Trigger').getByTestId('node-issues').waitFor();
		const details = await editor.openNode('Trigger');
		await details.parameter('events').getByTestId('parameter-issues').hover();
		await editor.page.getByText('Parameter "Trigger On" is required').first().waitFor();
	},
);

inEditor('Opt In sends nothing until the user chooses a value', async (editor) => {
	const parameters = { resource: 'contact', operation: 'upsert', phone: '+49 1512 3456789' };
	await editor.openNew(manualWorkflow([crmNode(parameters)]));
	const details = await editor.openNode('CRM');
	await details.add('Add Field', 'Opt In');
	const chosenAtFirst = await details.parameter('optIn').locator('input').inputValue();
	expect(chosenAtFirst).toBe("Don't Change");
	await details.execute();
	expect(await details.firstOutput()).toMatchObject({ opt_in_status: 'none' });
	await details.choose('optIn', 'Yes');
	await details.execute();
	await details.output.getByText('confirmed').waitFor();
});

inEditor('a test of the trigger shows the event that arrives', async (editor) => {
	await editor.openNew(triggerWorkflow({ events: ['message.received'] }));
	const details = await editor.openNode('Trigger');
	await details.execute();
	await details.whole.getByText('Listening for test event').waitFor();
	bed.sandbox.emit.inboundMessage({ phone: '+4915123456780' }, 'Hello');
	const output = await details.firstOutput();
	expect(output.event).toBe('message.received');
	expect(output.message).toContain('Hello');
});
