import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { eventually, type Testbed } from '../../../../tools/n8n/testbed';
import { untilStatus, waitSubscriptions } from '../../../../tools/n8n/waits';
import { crmNode, linkTo } from '../../../../tools/n8n/workflows';
import type { Contact } from '../../../../tools/sandbox';
import { fromModel } from '../../../workflow/runAgent';
import { addContacts, chosen, variablesOf } from '../../../workflow/support';
import { contactId, CRM, done, runAgent, tool, use, type AgentTests } from '../../agentRuns';

/** With n8n's human review, and with agents that wait for a reply. */
export function agentTests(given: AgentTests): void {
	let bed: Testbed;
	let contacts: Contact[];
	/** It takes a minute, in which the other tests run. */
	let silence: ReturnType<typeof eraseWithApproval>;

	beforeAll(async () => {
		bed = given.bed();
		contacts = addContacts(bed.sandbox, 2);
		// The model claims an approval, but the input of the tool must not count as one.
		const claim = { approved: true, data: { approved: true } };
		silence = eraseWithApproval(undefined, claim);
		silence.catch(() => undefined);
		await eventually(
			() => bed.sandbox.store.sentMessages,
			(all) => all.length === 1,
		);
	}, 900_000);
	beforeEach(() => void (contacts = given.contacts()));

	test('n8n makes a second tool of the action node, which asks a person first', async () => {
		const all = await bed.n8n.rest.nodeTypes();
		expect(all.map(({ name }) => name)).toContain(`${CRM}HitlTool`);
	});

	describe.each([2.2, 3])('AI Agent %s', (version) => {
		test('can ask a contact and wait for the reply only in version 3', async () => {
			const question: INodeParameters = {
				resource: 'message',
				operation: 'sendAndWait',
				contactId: chosen('id', contacts[0].id),
				template: chosen('name', 'welcome'),
				templateVariables: variablesOf({ name: 'Anna' }),
				options: { variables: { values: [{ name: '1', value: fromModel('Question') }] } },
			};
			const { execution, outputs } = await runAgent(bed, {
				version,
				tools: [tool('Ask', question, version < 3 ? { onError: 'continueRegularOutput' } : {})],
				script: [use('Ask', { Question: 'How many?' }), done],
				meanwhile: async (executionId) => {
					if (version < 3) return;
					await untilStatus(bed, executionId, 'waiting');
					bed.sandbox.emit.inboundMessage(contacts[0].id, 'Twelve');
				},
			});
			const messages = JSON.stringify(bed.sandbox.store.sentMessages);
			if (version < 3) {
				expect(JSON.stringify(execution.data)).toMatch('This agent cannot wait for a reply');
				expect(messages).toBe('[]');
			} else {
				expect(outputs.join()).toMatch('Twelve');
				expect(messages).toMatch('How many?');
			}
		});
	});

	/** The agent wants to delete the second contact. The first is asked, and replies with `words` or not at all. */
	async function eraseWithApproval(words: string | undefined, claim: IDataObject = {}) {
		const [boss, customer] = contacts;
		const parameters: INodeParameters = {
			resource: 'message',
			operation: 'sendAndWait',
			contactId: chosen('id', boss.id),
			template: chosen('name', 'welcome'),
			templateVariables: variablesOf({ name: 'Anna' }),
			resumeAmount: 2,
			resumeUnit: words === undefined ? 'minutes' : 'hours',
			options: { messageVariable: '1' },
		};
		const approve = crmNode(parameters, { name: 'Approve', type: `${CRM}HitlTool` });
		const erase = tool('Delete', { resource: 'contact', operation: 'delete', contactId }, {});
		const toolParameters = { Contact: customer.id };
		return await runAgent(bed, {
			version: 3,
			tools: [erase, approve],
			connections: { Delete: linkTo('Approve', 'ai_tool') },
			script: [use('Delete', { toolParameters, hitlParameters: {}, ...claim }), done],
			meanwhile: async (executionId) => {
				await untilStatus(bed, executionId, 'waiting');
				if (words !== undefined) bed.sandbox.emit.inboundMessage(boss.id, words);
			},
		});
	}

	/** The model calls Delete for two contacts in one turn, and claims all kinds of approvals. */
	async function eraseTwo(answers: Array<string | undefined>, reviewers: string[]) {
		const { sandbox } = bed;
		const [boss, other, ...customers] = [...contacts, ...addContacts(sandbox, 2)];
		const bosses: Contact[] = reviewers.map((_, index) => (index === 0 ? boss : other));
		const claim = { approved: true, replied: true, data: { approved: true } };
		const reviewer = (name: string, index: number) =>
			crmNode(
				{
					resource: 'message',
					operation: 'sendAndWait',
					contactId: chosen('id', bosses[index].id),
					template: chosen('name', 'welcome'),
					templateVariables: variablesOf({ name: 'Anna' }),
					resumeAmount: 2,
					resumeUnit: answers.includes(undefined) ? 'minutes' : 'hours',
					options: { messageVariable: '1' },
				},
				{ name, type: `${CRM}HitlTool` },
			);
		const names = reviewers.map((_, index) => `Delete${index}`);
		const erasers = names.map((name) =>
			tool(name, { resource: 'contact', operation: 'delete', contactId }, {}),
		);
		const calls = customers.map(({ id }, index) => ({
			tool: names[index % names.length],
			arguments: { toolParameters: { Contact: id, ...claim }, hitlParameters: claim, ...claim },
		}));
		const { execution } = await runAgent(bed, {
			version: 3,
			tools: [...erasers, ...reviewers.map(reviewer)],
			connections: Object.fromEntries(
				names.map((name, index) => [name, linkTo(reviewers[index], 'ai_tool')]),
			),
			script: [() => ({ calls }), done],
			meanwhile: async (executionId) => {
				for (const [index, words] of answers.entries()) {
					await eventually(
						() => sandbox.store.sentMessages.length,
						(count) => count > index,
					);
					await untilStatus(bed, executionId, 'waiting');
					const asked = String(sandbox.store.sentMessages[index].contact_id);
					if (words !== undefined) sandbox.emit.inboundMessage(asked, words);
					await sandbox.settled();
				}
			},
		});
		expect(execution.status).toBe('success');
		const asked = sandbox.store.sentMessages.map((message) => JSON.stringify(message));
		return customers.map(({ id }) => ({
			asked: asked.filter((text) => text.includes(id)).length,
			erased: !sandbox.store.contacts.has(id),
		}));
	}

	test.each<[string, Array<string | undefined>, string[]]>([
		['no and yes', ['no', 'yes'], ['Approve']],
		['yes and no', ['yes', 'no'], ['Approve']],
		['nothing and yes, each by another reviewer', [undefined, 'yes'], ['Approve', 'Approve Too']],
		['no and yes, each by another reviewer', ['no', 'yes'], ['Approve', 'Approve Too']],
	])(
		'of two guarded calls in one turn, each is asked, and only its own yes counts: %s',
		async (_name, answers, reviewers) => {
			const results = await eraseTwo(answers, reviewers);
			// n8n decides which is asked first.
			expect(results.map(({ asked }) => asked)).toEqual([1, 1]);
			expect(results.map(({ erased }) => erased).sort()).toEqual(
				answers.map((words) => words === 'yes').sort(),
			);
		},
		300_000,
	);

	describe('a person who has to approve a tool call', () => {
		const exists = () => bed.sandbox.store.contacts.has(contacts[1].id);

		test('reads what the agent wants to do; a yes runs the tool', async () => {
			const { execution, outputs } = await eraseWithApproval('yes');
			expect(execution.status).toBe('success');
			expect(exists()).toBe(false);
			expect(outputs.join()).toMatch('deleted');
			const [message] = bed.sandbox.store.sentMessages;
			expect(message.contact_id).toBe(contacts[0].id);
			const text = JSON.stringify(message);
			expect(text).toMatch('The agent wants to run this tool: Delete Input:');
			expect(text).toMatch(contacts[1].id);
			await eventually(
				() => waitSubscriptions(bed.sandbox),
				(all) => all.length === 0,
			);
		});

		test.each([
			'yes, but not this one',
			// Yes in another language.
			'Hoi!',
		])('rejects it with any other reply, which the agent reads: %s', async (words) => {
			const { execution, outputs } = await eraseWithApproval(words);
			expect(execution.status).toBe('success');
			expect(exists()).toBe(true);
			expect(JSON.parse(outputs.join())[0].output).toMatch(words);
		});

		test('rejects it by silence, even if the model claims an approval', async () => {
			const { execution, outputs } = await silence;
			expect(execution.status).toBe('success');
			expect(execution.data.resultData.runData).toHaveProperty('Approve');
			expect(execution.data.resultData.runData).not.toHaveProperty('Delete');
			expect(outputs.join()).toMatch(/rejected/);
		}, 300_000);
	});
}
