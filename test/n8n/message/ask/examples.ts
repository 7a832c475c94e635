import { eventually, type Testbed } from '../../../../tools/n8n/testbed';
import { untilStatus, waitSubscriptions } from '../../../../tools/n8n/waits';
import { changeNode, chatWith, contactOf, setFields } from '../../exampleRuns';
import type { ModelScript } from '../../scriptedModel';

export function exampleTests(bed: () => Testbed): void {
	let testbed: Testbed;
	beforeAll(() => void (testbed = bed()));

	/** The execution of a question that nobody answers; it waits while the other tests run. */
	let silence: string;
	const silentPhone = '+4915112340604';

	test('ask-and-go-on.json: asks, waits, and tags the contact by the answer', async () => {
		const id = 'askAndGoOn';
		const phone = '+4915112340601';
		const { store, emit } = testbed.sandbox;
		const start = async () => {
			const trigger = 'When clicking ‘Execute workflow’';
			const executionId = await testbed.n8n.rest.startWorkflow(id, trigger);
			await untilStatus(testbed, executionId, 'waiting');
			return executionId;
		};
		const answer = async (words: string) => {
			const executionId = await start();
			emit.inboundMessage({ phone }, words);
			await testbed.n8n.rest.waitForExecution(executionId);
		};
		await answer('OK!');
		expect(store.sentMessages).toContainEqual(
			expect.objectContaining({
				contact_id: contactOf(testbed, phone).id,
				template: 'question',
				variables: { question: 'May we deliver your order today? Please answer yes or no.' },
			}),
		);
		expect(contactOf(testbed, phone).tags).toEqual(['agreed']);
		await answer('Nein.');
		expect(contactOf(testbed, phone).tags).toEqual(['agreed', 'declined']);
		await answer('Ja, gerne');
		expect(contactOf(testbed, phone).tags).toEqual(['agreed', 'declined', 'answered otherwise']);

		await setFields(testbed, id, 'Who to ask, and what', { phone: silentPhone });
		await changeNode(testbed, id, 'Ask and wait', ({ parameters }) => {
			Object.assign(parameters, { resumeAmount: 2, resumeUnit: 'minutes' });
		});
		silence = await start();
		for (const each of waitSubscriptions(testbed.sandbox)) store.subscriptions.delete(each.id);
	});

	test('approve-agent.json: erases the contact only if the person replies yes', async () => {
		const id = 'approveAgent';
		const { emit, store } = testbed.sandbox;
		const boss = store.addContact({ phone: '+4915112340602', name: 'The boss' });
		const eraseAfter = async (words: string) => {
			const contact = store.addContact({ phone: '+4915112340603', name: 'Otto Quill' });
			const toolParameters = { Contact_ID: contact.id };
			const script: ModelScript = [
				() => ({ tool: 'Erase_a_contact', arguments: { toolParameters, hitlParameters: {} } }),
				() => ({ text: 'That is that.' }),
			];
			await chatWith(testbed, id, 'Erase Otto Quill', script, async (executionId) => {
				await untilStatus(testbed, executionId, 'waiting');
				emit.inboundMessage(boss.id, words);
			});
			await eventually(
				() => waitSubscriptions(testbed.sandbox),
				(all) => all.length === 0,
			);
			const isThere = store.contacts.has(contact.id);
			if (isThere) store.eraseContact(contact);
			return isThere;
		};
		expect(await eraseAfter('No, keep him')).toBe(true);
		expect(await eraseAfter('yes')).toBe(false);
		const { variables } = store.sentMessages[store.sentMessages.length - 1];
		expect(JSON.stringify(variables)).toMatch(/Erase_a_contact.*Contact_ID/);
	}, 120_000);

	test('ask-and-go-on.json: tags a contact who did not reply in time', async () => {
		await testbed.n8n.rest.waitForExecution(silence, 240_000);
		expect(contactOf(testbed, silentPhone).tags).toEqual(['did not reply']);
	}, 200_000);
}
