import { path } from '../support/platform';
import { resources } from '../../nodes/WorkspaceCrm/resources';
import { triggerWorkflow } from '../n8n/testbed';
import type { Editor } from './editor';
import { startEditorBed, type EditorBed } from './editorBed';
import { editorTests } from './editorTests';
import { errorRows } from './errorRows';
import { crmNode, editFieldsNode, manualWorkflow, stepsSideBySide } from './workflows';

let bed: EditorBed;

beforeAll(async () => (bed = await startEditorBed({ contacts: 5_000 })), 900_000);
afterAll(async () => await bed?.close());

const inEditor = editorTests(() => bed);

/** A contact that the list of the editor does not show before it is searched for. */
function someContact() {
	const contacts = [...bed.sandbox.store.contacts.values()];
	const contact = contacts.slice(2_500).find(({ name }) => name === 'Noah Williams');
	if (!contact) throw new Error('The sandbox has no contact of this name');
	return contact;
}

const getContact = (id: string) =>
	crmNode({
		resource: 'contact',
		operation: 'get',
		contactId: { __rl: true, mode: 'id', value: id },
	});

describe('the node panel', () => {
	inEditor('finds our nodes by what people look for', async (editor) => {
		await editor.openNew(manualWorkflow('Search'));
		await editor.nodePanel.open();
		for (const word of [
			...['whatsapp', 'crm', 'contact', 'contacts', 'segment', 'opt-in', 'opt-out', 'webhook'],
			...['messages', 'subscription', 'broadcast', 'newsletter'],
		]) {
			await editor.nodePanel.search(word);
			await editor.nodePanel.item('Workspace CRM').waitFor();
		}
	});

	inEditor('adds an action under its name, with what it does below', async (editor) => {
		await editor.openNew(manualWorkflow('Add an action'));
		await editor.nodePanel.open();
		await editor.nodePanel.search('crm');
		expect(await editor.nodePanel.openNode('Workspace CRM')).toEqual(
			resources.flatMap(({ operations }) => operations.map(({ action }) => action)),
		);

		await editor.nodePanel.item('Get many contacts').click();
		await editor.nodeDetails.close();
		const node = editor.node('Get many contacts');
		expect(await node.innerText()).toMatch(/^Get many contacts\s+Get Many: Contact$/);
	});
});

inEditor(
	'a credential is tested when it is saved, and a wrong key is explained',
	async (editor) => {
		const { credentialDialog: dialog } = editor;
		await editor.openNew(manualWorkflow('Credential', getContact(someContact().id)));
		await editor.openNode('CRM step');
		await dialog.openNew();
		await dialog.fill('baseUrl', bed.sandbox.url);
		await dialog.fill('apiKey', 'a wrong key');
		await dialog.save();
		await dialog.showDetails();
		await dialog.whole.getByText('The API key was not accepted.').waitFor();

		await dialog.fill('apiKey', bed.sandbox.apiKey);
		await dialog.save();
		await dialog.whole.waitFor({ state: 'hidden' });
		await dialog.openChosen();
		await dialog.whole.getByText('Connection tested successfully').waitFor();
	},
);

inEditor('each resource offers its operations', async (editor) => {
	await editor.openNew(manualWorkflow('Choose', crmNode({})));
	const details = await editor.openNode('CRM step');
	// n8n adds the last one by itself
	expect(await details.choices('resource')).toEqual([
		...resources.map(({ name }) => name),
		'Custom API Call',
	]);
	for (const { name, operations } of resources) {
		await details.choose('resource', name);
		expect(await details.choices('operation')).toEqual([
			...operations.map((operation) => operation.name),
			'Custom API Call',
		]);
	}
	await details.choose('resource', 'Message');
	await details.choose('operation', 'Send Template');
	await details.parameter('contactId').waitFor();
	await details.parameter('template').waitFor();
});

inEditor(
	'a contact is found among 5,000 by searching, and its record is output',
	async (editor) => {
		const { id, name, phone } = someContact();
		expect(bed.sandbox.store.contacts.size).toBeGreaterThanOrEqual(5_000);
		await editor.openNew(manualWorkflow('Get', crmNode({ resource: 'contact', operation: 'get' })));
		const details = await editor.openNode('CRM step');
		await details.chooseRecord('contactId', String(name), phone);
		await details.execute();
		expect(await details.firstOutput()).toMatchObject({ id, name, phone });
	},
);

inEditor('a field can be mapped before anything has run', async (editor) => {
	const { id, phone } = someContact();
	await editor.openNew(manualWorkflow('Map', getContact(id), editFieldsNode()));
	const details = await editor.openNode('Edit Fields');
	await details.input.getByText('Usually outputs the following fields').waitFor();
	await details.inputField('phone').dragTo(details.whole.getByTestId('drop-area'), { steps: 10 });
	await details.whole.getByText('{{ $json.phone }}').waitFor();

	await details.execute();
	expect(await details.firstOutput()).toEqual({ phone });
});

inEditor('of a template with millions of variables, 100 are shown', async (editor) => {
	const many = { id: 'many', name: 'many', variables: 50_000_000 };
	bed.sandbox.store.templates.push(many as never);
	const send = crmNode({
		resource: 'message',
		operation: 'sendTemplate',
		contactId: { __rl: true, mode: 'id', value: someContact().id },
		template: { __rl: true, mode: 'id', value: many.id },
	});
	await editor.openNew(manualWorkflow('Send', send));
	const columns = await (await editor.openNode('CRM step')).columns();
	expect(columns).toHaveLength(100);
	expect(columns.at(-1)).toBe("100: add more under 'Other Variables'");
});

inEditor('a message with a blank variable is not sent', async (editor) => {
	const sentBefore = bed.sandbox.store.sentMessages.length;
	const send = crmNode({
		resource: 'message',
		operation: 'sendTemplate',
		contactId: { __rl: true, mode: 'id', value: someContact().id },
		template: { __rl: true, mode: 'id', value: 'tpl_order_shipped' },
	});
	await editor.openNew(manualWorkflow('Send', send));
	const details = await editor.openNode('CRM step');
	expect(await details.columns()).toHaveLength(2);
	await details.parameter('1').locator('input').fill('Anna');
	await details.execute();
	expect((await details.error()).title).toContain('A variable of the template is blank');
	expect(bed.sandbox.store.sentMessages).toHaveLength(sentBefore);
});

inEditor('a green node with failed items says so', async (editor) => {
	const step = {
		...getContact('3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b'),
		onError: 'continueErrorOutput' as const,
	};
	await editor.openNew(manualWorkflow('Continue', step));
	const details = await editor.openNode('CRM step');
	await details.execute();
	await details.output.getByText('The item failed.').waitFor();
});

inEditor('a contact by a national number asks for its country', async (editor) => {
	const { name } = bed.sandbox.store.addContact({ phone: '+491705556677', name: 'Nora Kern' });
	const contactId = { __rl: true, mode: 'phone', value: '0170 5556677' };
	const get = crmNode({ resource: 'contact', operation: 'get', contactId });
	await editor.openNew(manualWorkflow('Get', get));
	const details = await editor.openNode('CRM step');
	await details.execute();
	expect((await details.error()).title).toContain('has no country code');
	await details.parameter('defaultCountry').locator('input').fill('Germany');
	await details.execute();
	expect(await details.firstOutput()).toMatchObject({ name });
});

describe('the trigger', () => {
	inEditor('published in the editor, it starts executions', async (editor) => {
		const id = await editor.openNew(triggerWorkflow({ events: [] }));
		const details = await editor.openNode('Trigger');
		await details.choose('events', 'Message Received');
		await details.close();
		expect(await editor.publish()).toContain(
			'Workspace CRM now sends the chosen events to this workflow',
		);

		const executions = await editor.openExecutions();
		bed.sandbox.emit.inboundMessage({ phone: '+4915123456789' }, 'Hello');
		await executions.getByText('Succeeded in').waitFor();
		await bed.rest.unpublish(id);
	});

	inEditor('says which events are too old where nothing is set', async (editor) => {
		await editor.openNew(triggerWorkflow({ events: ['message.received'] }));
		const { whole } = await editor.openNode('Trigger');
		const label = whole.getByText('Options', { exact: true });
		await label
			.locator('xpath=ancestor::*[.//*[name()="svg"]][1]//*[name()="svg"]')
			.first()
			.hover();
		await editor.page.getByText('events older than 60 minutes start nothing').waitFor();
	});

	inEditor('under test, it shows the event that comes', async (editor) => {
		await editor.openNew(triggerWorkflow({ events: ['message.received'] }));
		const details = await editor.openNode('Trigger');
		await details.execute();
		await details.whole.getByText('Listening for test event').waitFor();
		bed.sandbox.emit.inboundMessage({ phone: '+4915123456780' }, 'Hello');
		const output = await details.firstOutput();
		expect(output.event).toBe('message.received');
		expect(output.message).toContain('Hello');
	});
});

inEditor(
	'a sync offers the fields and attributes of contacts, and saves what is mapped',
	async (editor) => {
		const attributes = [...bed.sandbox.store.contacts.values()].flatMap((contact) =>
			Object.keys(contact.attributes),
		);
		await editor.openNew(
			manualWorkflow('Sync', crmNode({ resource: 'contact', operation: 'sync' })),
		);
		const details = await editor.openNode('CRM step');
		expect(await details.columns()).toEqual([
			'Phone',
			'Name',
			'Locale (language, e.g. en)',
			'Source (e.g. website)',
			'Tags (separated by commas)',
			'Opt In (wants messages)',
			'Consent Proof (how, when)',
			// One that holds an object would open as a code editor, with an error.
			...[...new Set(attributes)]
				.filter((key) => key !== 'last_order')
				.sort()
				.map((key) => `Attribute: ${key}`),
		]);

		await details.parameter('phone').locator('input').fill('+49 1512 0000001');
		await details.parameter('name').locator('input').fill('Erika Mustermann');
		expect(await details.choices('opt_in')).toEqual(['Yes', 'No', "Don't Change"]);
		await details.choose('opt_in', 'Yes');
		await details.execute();
		await details.firstOutput();
		expect(bed.sandbox.store.findByPhone('+4915120000001')).toMatchObject({
			name: 'Erika Mustermann',
			opt_in_status: 'confirmed',
		});
	},
);

describe.each([
	['light', 'workspaceCrm.svg'],
	['dark', 'workspaceCrm.dark.svg'],
] as const)('in %s mode', (colorScheme, file) => {
	inEditor(
		`the icon is ${file}`,
		async (editor) => {
			await editor.openNew(triggerWorkflow({ events: [] }));
			const onCanvas = editor.node('Trigger').locator('img');
			expect(path.basename(String(await onCanvas.getAttribute('src')))).toBe(file);
			// a picture that could not be loaded has no width
			const width = await onCanvas.evaluate((image) => Reflect.get(image, 'naturalWidth'));
			expect(width).toBeGreaterThan(0);

			await editor.nodePanel.open();
			await editor.nodePanel.search('opt-in');
			const onCard = editor.nodePanel.item('Workspace CRM').locator('img').first();
			expect(path.basename(String(await onCard.getAttribute('src')))).toBe(file);
		},
		{ colorScheme },
	);
});

describe('an error in the editor', () => {
	let editor: Editor;

	beforeAll(async () => {
		editor = await bed.openEditor();
		const steps = errorRows.map(({ name, parameters }) => crmNode(parameters, name));
		await editor.openNew(stepsSideBySide('Errors', steps));
	});
	afterAll(async () => await editor.close());

	const inSameEditor = editorTests(
		() => bed,
		() => editor,
	);

	for (const { name, fault, title, texts } of errorRows) {
		inSameEditor(`says what happened and what to do: ${name}`, async () => {
			const details = await editor.openNode(name);
			try {
				if (fault) bed.sandbox.fail(fault);
				await details.execute();
				const shown = await details.error();
				expect(shown.title).toContain(`${title}`);
				for (const text of texts) expect(shown.description).toContain(text);
			} finally {
				await details.close();
				await editor.clearExecution();
			}
		});
	}
});
