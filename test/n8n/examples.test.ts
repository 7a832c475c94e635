import {
	NodeHelpers,
	type IDataObject,
	type INodeTypeDescription,
	type ITaskData,
} from 'n8n-workflow';

import type { JsonObject } from '../sandbox';
import { fs, path } from '../support/platform';
import { pollEvery, untilPolled } from './changesRuns';
import { findDeviations, runContactImport } from './contactImport';
import {
	changeNode,
	endedExecutions,
	nodesWithOutput,
	readExamples,
	runByHand,
	saveContact,
	setFields,
	useOtherAddress,
	whilePublished,
} from './exampleRuns';
import { outputItems } from './executionData';
import type { Execution } from './n8nRestClient';
import { startJsonServer } from './jsonServer';
import { examplesFolder } from './paths';
import { findSyncDeviations, runScheduledSync } from './scheduledSync';
import { offeredTools, startScriptedModel, type ModelScript } from './scriptedModel';
import { findTagDeviations, runTagOnMessage } from './tagOnMessage';
import { eventually, PUBLIC_URL, startTestbed, type Testbed } from './testbed';
import { untilStatus, waitSubscriptions } from './waits';

let testbed: Testbed;
let nodeTypes: INodeTypeDescription[];

beforeAll(async () => {
	testbed = await startTestbed({ contacts: 200, hasExamples: true });
	const { rest, url } = testbed.n8n;
	const response = await fetch(`${url}/types/nodes.json`, { headers: { cookie: rest.cookie } });
	nodeTypes = (await response.json()) as INodeTypeDescription[];
}, 600_000);
afterAll(async () => await testbed?.close());
afterEach(() => testbed.sandbox.setShapes({ tagInEvent: 'string', answersInEvent: 'object' }));

const contactOf = (phone: string) => {
	const contact = testbed.sandbox.store.findByPhone(phone);
	if (!contact) throw new Error(`No contact has ${phone}`);
	return contact;
};

/** What the note of an example with an agent asks for: a model of one's own, connected to the agent. */
async function chatWith(id: string, words: string, script: ModelScript, meanwhile = noReply) {
	const { rest } = testbed.n8n;
	const model = await startScriptedModel(script);
	try {
		const credentialId = await rest.createCredential('Model', 'openAiApi', {
			apiKey: 'none',
			url: `${model.url}/v1`,
		});
		const saved = await rest.getWorkflow(id);
		const nodes = saved.nodes.filter(({ name }) => name !== 'Model');
		nodes.push({
			id: 'model',
			name: 'Model',
			type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
			typeVersion: 1.2,
			position: [0, 320],
			parameters: { model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
			credentials: { openAiApi: { id: credentialId, name: 'Model' } },
		});
		const { connections, versionId } = saved;
		connections.Model = {
			ai_languageModel: [[{ node: 'AI Agent', type: 'ai_languageModel', index: 0 }]],
		};
		await rest.request('PATCH', `/workflows/${id}`, { nodes, connections, versionId });
		const chat = { sessionId: 's', action: 'sendMessage', chatInput: words };
		const trigger = 'When chat message received';
		const executionId = await rest.startWorkflow(id, trigger, chatRun(chat));
		await meanwhile(executionId);
		const { status, data } = await rest.waitForExecution(executionId);
		expect([status, data.resultData.error?.message]).toEqual(['success', undefined]);
		return { output: outputItems(data, 'AI Agent'), requests: model.requests };
	} finally {
		await model.close();
	}
}

const noReply: (executionId: string) => Promise<void> = async () => {};

describe.each(readExamples())('$file as it is imported', (example) => {
	const ours = 'n8n-nodes-workspace-crm.';

	test('n8n knows all of its nodes, in their versions, and finds no parameter wrong', async () => {
		const saved = await testbed.n8n.rest.getWorkflow(example.id);
		expect(saved).toMatchObject({ name: example.name, active: false });
		// For longer ids, n8n stores nothing that a trigger keeps, such as its signing secret.
		expect(example.id.length).toBeLessThanOrEqual(21);
		expect(saved.nodes).toHaveLength(example.nodes.length);
		for (const node of saved.nodes) {
			const type = nodeTypes.find(
				({ name, version }) => name === node.type && [version].flat().includes(node.typeVersion),
			);
			if (!type) throw new Error(`n8n has no ${node.type} ${node.typeVersion}`);
			const { properties } = type;
			const parameters = NodeHelpers.getNodeParameters(
				properties,
				node.parameters,
				true,
				false,
				node,
				type,
			);
			const full = { ...node, parameters: parameters ?? {} };
			expect([node.name, NodeHelpers.getNodeParametersIssues(properties, full, type)]).toEqual([
				node.name,
				null,
			]);
			// Nothing that was saved is unknown to the node, and so would be dropped.
			expect(full.parameters).toMatchObject(node.parameters);
		}
	});

	test('it has a note, no two nodes on one another, and the same credential everywhere', () => {
		const [note, ...nodes] = example.nodes;
		expect(note).toMatchObject({
			name: 'About this workflow',
			position: [-80, expect.any(Number)],
		});
		expect(String(note.parameters.content)).toMatch(/^## .+\n\n[^]+\n1\. \*\*/);
		const noteBottom = note.position[1] + Number(note.parameters.height);
		expect(noteBottom).toBeLessThan(Math.min(...nodes.map(({ position }) => position[1])));
		for (const [index, { position: one }] of nodes.entries()) {
			for (const { position: other } of nodes.slice(index + 1)) {
				const [right, down] = [0, 1].map((axis) => Math.abs(one[axis] - other[axis]));
				expect(right >= 160 || down >= 100).toBe(true);
			}
		}
		const crmNodes = nodes.filter(({ type }) => type.startsWith(ours));
		expect(crmNodes.map(({ credentials }) => credentials?.workspaceCrmApi?.id)).toEqual(
			crmNodes.map(() => 'workspaceCrmDemo'),
		);
		expect(crmNodes.length).toBeGreaterThan(0);
	});

	test('the list of the examples has it', () => {
		const list = fs.readFileSync(path.join(examplesFolder, 'README.md'), 'utf8');
		expect(list).toContain(`(${example.file})`);
	});
});

test('contact-import.json', async () => {
	expect(findDeviations(await runContactImport(testbed.n8n.rest, testbed.sandbox))).toEqual([]);
});

test('scheduled-sync.json: what the CRM has already is not sent a second time', async () => {
	const result = await runScheduledSync(testbed.n8n.rest, testbed.sandbox);
	expect(findSyncDeviations(result)).toEqual([]);
	expect(result.second.hint).toContain('0 created, 0 updated, 20 unchanged');
});

test('google-sheet-sync.json: columns by their names, with the rows that the sheet has pinned', async () => {
	const { store } = testbed.sandbox;
	const { data } = await runByHand(testbed, 'sheetToCrmDemo');
	const rejected = outputItems(data, 'Rows to correct').map(({ Name, error }) => [Name, error]);
	expect(rejected).toEqual([
		['Dan Cole', expect.stringContaining('too few digits')],
		['Finn Berg', expect.stringContaining("'Phone' is empty")],
	]);
	expect(outputItems(data, 'Synced')).toHaveLength(4);
	expect(contactOf('+491703450201')).toMatchObject({
		name: 'Anna Schmidt',
		tags: ['newsletter'],
		attributes: { City: 'Berlin' },
	});
	const before = store.contacts.size;
	const again = await runByHand(testbed, 'sheetToCrmDemo');
	const actions = outputItems(again.data, 'Synced').map(({ sync }) => sync);
	// Four rows are sent without comparing them: looking them up would take as many requests.
	expect(actions).toMatchObject(Array(4).fill({ action: 'saved' }));
	expect(store.contacts.size).toBe(before);
});

test('find-or-create.json: creates once, then finds, and creates nothing because of another error', async () => {
	const { store, requests, fail } = testbed.sandbox;
	const contacts = async () =>
		outputItems((await runByHand(testbed, 'findOrCreateDemo')).data, 'Contact');
	const [created] = await contacts();
	expect(created).toMatchObject({ phone: '+491703450301', name: 'Lina Vogel', created: true });
	contactOf('+491703450301').name = 'Lina Vogel-Brandt';
	expect(await contacts()).toMatchObject([{ id: created.id, name: 'Lina Vogel-Brandt' }]);

	store.eraseContact(contactOf('+491703450301'));
	fail({ match: { method: 'GET' }, kind: { status: 401, detail: 'API key revoked' } });
	const postsBefore = requests.filter(({ method }) => method === 'POST').length;
	await expect(contacts()).rejects.toThrow('The API key was not accepted');
	expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(postsBefore);
});

test('tag-on-message.json', async () => {
	expect(findTagDeviations(await runTagOnMessage(testbed.n8n.rest, testbed.sandbox))).toEqual([]);
	await testbed.n8n.rest.unpublish('tagOnMessageDemo');
	expect(testbed.sandbox.store.subscriptions.size).toBe(0);
});

describe('welcome-confirmed-contact.json', () => {
	const id = 'welcomeContactDemo';
	let count = 0;
	beforeAll(async () => await useOtherAddress(testbed));
	/** The nodes in which the executions since the last look ended, and whether all went well. */
	const newExecutions = async (expected: number) => {
		const all = await endedExecutions(testbed, id, count + expected);
		const added = all.slice(count);
		count = all.length;
		expect(added.map(({ status }) => status)).toEqual(Array(expected).fill('success'));
		return added.map(({ data }) => data.resultData.lastNodeExecuted).sort();
	};
	const sentTo = (phone: string) =>
		testbed.sandbox.store.sentMessages.filter(
			({ contact_id }) => contact_id === contactOf(phone).id,
		);

	test('welcomes once, when the consent is confirmed, and never before or again', async () => {
		const { emit, store, deliveries, redeliver } = testbed.sandbox;
		const phone = '+4915112340101';
		await whilePublished(testbed, id, async () => {
			// A stranger writes: a contact without consent, in two events.
			emit.inboundMessage({ phone }, 'Hello');
			expect(await newExecutions(2)).toEqual(['Nothing to send', 'Nothing to send']);
			expect(contactOf(phone).tags).toEqual([]);

			contactOf(phone).opt_in_status = 'confirmed';
			emit.inboundMessage({ phone }, 'Here I am again');
			expect(await newExecutions(2)).toEqual(['Mark for welcome', 'Note the time']);
			expect(sentTo(phone)).toMatchObject([{ template: 'welcome', variables: { name: 'there' } }]);
			expect(contactOf(phone)).toMatchObject({
				tags: ['welcome'],
				attributes: { welcome_sent_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.+Z$/) },
			});

			// Another message, the same events once more, and the tag by hand: nothing more is sent.
			emit.inboundMessage({ phone }, 'Thanks');
			expect(await newExecutions(1)).toEqual(['Nothing to send']);
			for (const { deliveryId } of [...deliveries]) await redeliver(deliveryId);
			expect(await newExecutions(0)).toEqual([]);
			contactOf(phone).tags.length = 0;
			await saveContact(testbed.sandbox, { phone, tags: ['welcome'] });
			expect(await newExecutions(1)).toEqual(['Nothing to send']);

			// Confirmed from the start, with three events at the same moment: still one message.
			const atOnce = {
				phone: '+4915112340102',
				name: 'Priya',
				opt_in: true,
				consent_proof: 'Form',
			};
			await saveContact(testbed.sandbox, atOnce);
			emit.inboundMessage({ phone: atOnce.phone }, 'One');
			emit.inboundMessage({ phone: atOnce.phone }, 'Two');
			await newExecutions(4);
			expect(sentTo(atOnce.phone)).toMatchObject([{ variables: { name: 'Priya' } }]);

			// Who opted out, and who is no longer new, is not welcomed.
			const optedOut = store.addContact({ phone: '+4915112340103', opt_in_status: 'opted_out' });
			const old = store.addContact({
				phone: '+4915112340104',
				opt_in_status: 'confirmed',
				created_at: new Date(Date.now() - 31 * 86_400_000).toISOString(),
			});
			for (const contact of [optedOut, old]) emit.inboundMessage(contact.id, 'Hello');
			expect(await newExecutions(2)).toEqual(['Nothing to send', 'Nothing to send']);
			expect(store.sentMessages).toHaveLength(2);
		});
	});

	test('what could not be sent fails, is not sent by itself later, and can be started again', async () => {
		const { emit, store, setShapes } = testbed.sandbox;
		const phone = '+4915112340105';
		setShapes({ tagInEvent: 'object' });
		await whilePublished(testbed, id, async () => {
			store.rules.platformRejects.set('welcome', 'The template is paused');
			await saveContact(testbed.sandbox, { phone, opt_in: true, consent_proof: 'Form' });
			const [, failed] = (await endedExecutions(testbed, id, count + 2)).slice(count);
			expect(failed.status).toBe('error');
			expect(failed.data.resultData).toMatchObject({
				lastNodeExecuted: 'Send welcome',
				error: { description: expect.stringContaining('The template is paused') },
			});
			count += 2;

			store.rules.platformRejects.clear();
			emit.inboundMessage({ phone }, 'Hello?');
			expect(await newExecutions(1)).toEqual(['Mark for welcome']);
			expect(sentTo(phone)).toEqual([]);
			contactOf(phone).tags.length = 0;
			emit.inboundMessage({ phone }, 'Hello??');
			expect(await newExecutions(2)).toEqual(['Mark for welcome', 'Note the time']);
			expect(sentTo(phone)).toHaveLength(1);
		});
	});
});

test('tag-on-keyword.json: whole words in any case, several at once, and nothing else', async () => {
	const id = 'tagOnKeywordDemo';
	const { emit } = testbed.sandbox;
	const messages: Array<[text: string, tags: string[]]> = [
		['What is the PRICE, please?', ['asked for prices']],
		[
			'Sind die ÖFFNUNGSZEITEN neu? Send me the price by E-Mail!',
			['asked for hours', 'asked for prices', 'wants e-mail'],
		],
		['Your opening\nhours?', ['asked for hours']],
		['A priceless shop with upriced goods, opening at all hours', []],
		['', []],
	];
	await whilePublished(testbed, id, async () => {
		for (const [index, [text]] of messages.entries()) {
			emit.inboundMessage({ phone: `+491511234020${index}` }, text, text ? 'text' : 'image');
		}
		const executions = await endedExecutions(testbed, id, messages.length);
		expect(executions.map(({ status }) => status)).toEqual(messages.map(() => 'success'));
		for (const [index, [, tags]] of messages.entries()) {
			expect(contactOf(`+491511234020${index}`).tags.sort()).toEqual(tags);
		}
	});
});

test('form-to-attributes.json: answers in any shape become attributes, and blank ones erase nothing', async () => {
	const id = 'formToAttributesDemo';
	const { emit, requests, setShapes, store } = testbed.sandbox;
	const patchesBefore = requests.filter(({ method }) => method === 'PATCH').length;
	const answers = {
		size: 'L',
		guests: 4,
		vegan: true,
		dates: ['2026-05-01'],
		note: '',
		city: null,
	};
	const expected = { size: 'L', guests: 4, vegan: true, dates: ['2026-05-01'] };
	const rows = (name: string, value: string) =>
		Object.entries(answers).map(([key, answer]) => ({ [name]: key, [value]: answer }));
	const asAnswers = (value: unknown) => value as JsonObject;
	const before = { plan: 'pro', note: 'Kept', city: 'Leeds' };
	const contacts = Array.from({ length: 6 }, (_, index) =>
		store.addContact({
			phone: `+491511234030${index}`,
			attributes: { ...before, size: 'S' },
		}),
	);

	await whilePublished(testbed, id, async () => {
		const given = [
			answers,
			asAnswers(rows('key', 'value')),
			asAnswers(rows('name', 'value')),
			asAnswers(JSON.stringify(answers)),
			// Nothing to save, and no error.
			{ note: '' },
		];
		for (const [index, each] of given.entries()) emit.submitForm(contacts[index].id, '1', each);
		setShapes({ answersInEvent: 'array' });
		emit.submitForm(contacts[5].id, '1', answers);
		const executions = await endedExecutions(testbed, id, contacts.length);
		expect(executions.map(({ status }) => status)).toEqual(contacts.map(() => 'success'));
		const saved = contacts.map(({ attributes }) => attributes);
		expect(saved.splice(4, 1)).toEqual([{ ...before, size: 'S' }]);
		expect(saved).toEqual(Array(5).fill({ ...before, ...expected }));
		const updates = requests.filter(({ method }) => method === 'PATCH').length - patchesBefore;
		expect(updates).toBe(5);
	});
});

test('opt-out-to-other-system.json: tells the other system, tries again, and marks what failed', async () => {
	const id = 'optOutDemo';
	const { emit, store } = testbed.sandbox;
	const other = await startJsonServer(() => ({}));
	try {
		await setFields(testbed, id, 'Other system', { url: `${other.url}/opt-outs` });
		await whilePublished(testbed, id, async () => {
			const told = store.addContact({ phone: '+4915112340401', opt_in_status: 'confirmed' });
			const event = emit.optOut(told.id);
			const [first] = await endedExecutions(testbed, id, 1);
			expect(first.status).toBe('success');
			expect(nodesWithOutput(first)).toContain('Told');
			expect(other.requests).toMatchObject([
				{
					method: 'POST',
					path: '/opt-outs',
					headers: { 'idempotency-key': event.id },
					body: {
						phone: '+4915112340401',
						contact_id: told.id,
						opted_out_at: event.created_at,
						event_id: event.id,
					},
				},
			]);

			// Down for a moment: told at the second try, under the same key.
			other.answer = () => ({ status: other.requests.length === 2 ? 503 : 200 });
			emit.inboundMessage({ phone: '+4915112340401' }, 'STOP');
			const [, second] = await endedExecutions(testbed, id, 2);
			expect(nodesWithOutput(second)).toContain('Told');
			const keys = other.requests.map(({ headers }) => headers['idempotency-key']);
			expect(keys).toHaveLength(3);
			expect(keys[2]).toBe(keys[1]);
			expect(contactOf('+4915112340401').tags).toEqual([]);

			// Down for long: the contact is marked, and the execution goes on.
			other.answer = () => ({ status: 500 });
			const marked = store.addContact({ phone: '+4915112340402' });
			emit.optOut(marked.id);
			const [, , third] = await endedExecutions(testbed, id, 3);
			expect(third.status).toBe('success');
			expect(nodesWithOutput(third)).not.toContain('Told');
			expect(other.requests).toHaveLength(6);
			expect(marked.tags).toEqual(['opt-out not passed on']);
		});
	} finally {
		await other.close();
	}
});

let silence: Promise<Execution>;
const silentPhone = '+4915112340604';

describe('ask-and-go-on.json', () => {
	const id = 'askAndGoOnDemo';
	const phone = '+4915112340601';
	/** A copy of it asks somebody who does not reply, while the other tests run. */
	beforeAll(async () => {
		const { rest } = testbed.n8n;
		const { nodes, connections, settings } = await rest.getWorkflow(id);
		const copy = await rest.createWorkflow({ name: 'Copy', nodes, connections, settings });
		await setFields(testbed, copy.id, 'Whom to ask, and what', { phone: silentPhone });
		await changeNode(testbed, copy.id, 'Ask and wait', (node) => {
			Object.assign(node, { id: 'other' });
			Object.assign(node.parameters, { resumeAmount: 1, resumeUnit: 'minutes' });
		});
		const executionId = await rest.startWorkflow(copy.id, 'When clicking ‘Execute workflow’');
		await untilStatus(testbed, executionId, 'waiting');
		for (const each of waitSubscriptions(testbed.sandbox)) {
			testbed.sandbox.store.subscriptions.delete(each.id);
		}
		silence = rest.waitForExecution(executionId, 180_000);
	});
	const run = async (words: string) => {
		const { rest } = testbed.n8n;
		const executionId = await rest.startWorkflow(id, 'When clicking ‘Execute workflow’');
		await untilStatus(testbed, executionId, 'waiting');
		testbed.sandbox.emit.inboundMessage({ phone }, words);
		await rest.waitForExecution(executionId);
		await eventually(
			() => waitSubscriptions(testbed.sandbox),
			(all) => all.length === 0,
		);
	};

	test('asks, waits, and tags by the answer', async () => {
		await run('OK!');
		expect(testbed.sandbox.store.sentMessages).toContainEqual(
			expect.objectContaining({
				contact_id: contactOf(phone).id,
				template: 'question',
				variables: { question: 'May we deliver your order today?' },
			}),
		);
		expect(contactOf(phone).tags).toEqual(['agreed']);
		await run('Rather tomorrow');
		expect(contactOf(phone).tags).toEqual(['agreed', 'declined']);
	});
});

test('ask-many.json: asks the segment, and keeps each answer when it comes', async () => {
	const id = 'askManyDemo';
	const { emit, store } = testbed.sandbox;
	const members = [...store.contacts.values()].filter(({ tags }) => tags.includes('vip'));
	const [first] = members;
	first.opt_in_status = 'opted_out';
	const asked = members.filter(({ opt_in_status }) => opt_in_status !== 'opted_out');
	const sentBefore = store.sentMessages.length;
	await whilePublished(testbed, id, async () => {
		await runByHand(testbed, id);
		expect(store.sentMessages.length - sentBefore).toBe(asked.length);
		const noted = [...store.contacts.values()].filter(({ tags }) =>
			tags.includes('asked: tasting'),
		);
		expect(noted.map((contact) => contact.id).sort()).toEqual(asked.map((one) => one.id).sort());
		const count = (await endedExecutions(testbed, id, 1)).length;
		emit.inboundMessage(asked[0].id, 'Gladly');
		await endedExecutions(testbed, id, count + 1);
		emit.inboundMessage(asked[0].id, 'And my sister?');
		emit.inboundMessage(first.id, 'I was not asked');
		await endedExecutions(testbed, id, count + 3);
		expect(asked[0].attributes.tasting).toBe('Gladly');
		expect(asked[0].tags).not.toContain('asked: tasting');
		expect(first.attributes.tasting).toBeUndefined();
	});
}, 200_000);

test('send-campaign.json: previews, sends to each once, and only reports when it runs again', async () => {
	const id = 'sendCampaignDemo';
	const { store } = testbed.sandbox;
	const members = [...store.contacts.values()].filter(({ tags }) => tags.includes('vip'));
	for (const member of members) member.opt_in_status = 'confirmed';
	members[0].opt_in_status = 'pending';
	const before = store.sentMessages.length;
	const run = async () => {
		const { data } = await runByHand(testbed, id);
		return outputItems(data, 'How it went');
	};
	const count = (status: string, items: number) => ({
		campaign_status: status,
		count_campaign_status: items,
	});
	const left = members.length - 1;
	expect(await run()).toEqual([count('skipped', 1), count('wouldSend', left)]);
	expect(store.sentMessages).toHaveLength(before);

	await changeNode(testbed, id, 'Send to those that are left', ({ parameters }) => {
		parameters.options = {};
	});
	expect(await run()).toEqual([count('skipped', 1), count('sent', left)]);
	expect(await run()).toEqual([count('skipped', members.length)]);
	const receivers = store.sentMessages.slice(before).map(({ contact_id }) => contact_id);
	expect(receivers.sort()).toEqual(
		members
			.slice(1)
			.map((member) => member.id)
			.sort(),
	);
});

test('entered-segment.json: sends the template to who enters later, and to nobody who was there', async () => {
	const id = 'enteredSegmentDemo';
	const { store } = testbed.sandbox;
	const addVip = (phone: string, opt_in_status: 'confirmed' | 'opted_out', name?: string) =>
		store.addContact({ phone, opt_in_status, name: name ?? null, tags: ['vip'] });
	await changeNode(testbed, id, 'Entered the segment', ({ parameters }) => {
		parameters.pollTimes = pollEvery(2);
	});
	const before = store.sentMessages.length;
	const path = '/v1/segments/seg_vip/contacts';
	await testbed.n8n.rest.publish(id);
	try {
		await untilPolled(testbed, 1, path);
		const named = addVip('+4915112340701', 'confirmed', 'Nora');
		expect((await endedExecutions(testbed, id, 1)).map(({ status }) => status)).toEqual([
			'success',
		]);
		const nameless = addVip('+4915112340702', 'confirmed');
		await endedExecutions(testbed, id, 2);
		addVip('+4915112340703', 'opted_out');
		await endedExecutions(testbed, id, 3);
		await untilPolled(testbed, 1, path);
		const ended = await endedExecutions(testbed, id, 3);
		expect(ended.map(({ status }) => status)).toEqual(Array(3).fill('success'));
		expect(outputItems(ended[2].data, 'Not sent')).toMatchObject([
			{ error: expect.stringContaining('opted out') },
		]);
		expect(store.sentMessages.slice(before)).toMatchObject([
			{ contact_id: named.id, template: 'welcome', variables: { name: 'Nora' } },
			{ contact_id: nameless.id, template: 'welcome', variables: { name: 'there' } },
		]);
	} finally {
		await testbed.n8n.rest.unpublish(id);
	}
}, 120_000);

test('export-segment.json: every contact of the segment, in a file that a spreadsheet reads', async () => {
	const { store, requests } = testbed.sandbox;
	for (let index = 0; index < 230; index += 1) {
		store.addContact({
			phone: `+49151123${50_000 + index}`,
			name: index === 0 ? 'O’Neill, "Ann"\nØ' : index === 1 ? '=1+1' : `Reader ${index}`,
			opt_in_status: 'confirmed',
			tags: index === 1 ? ['newsletter', 'vip'] : ['newsletter'],
			attributes: { city: 'Köln' },
		});
	}
	const members = [...store.contacts.values()].filter(
		({ tags, opt_in_status }) => tags.includes('newsletter') && opt_in_status === 'confirmed',
	);
	const before = requests.length;
	const { data } = await runByHand(testbed, 'exportSegmentDemo');
	expect(requests.slice(before).every(({ method }) => method === 'GET')).toBe(true);

	const items = data.resultData.runData['Make CSV file'][0].data?.main[0] ?? [];
	expect(items).toHaveLength(1);
	const file = items[0].binary?.data;
	expect(file).toMatchObject({
		mimeType: 'text/csv',
		fileName: expect.stringMatching(/^segment-\d{4}-\d\d-\d\d\.csv$/),
	});
	const { url, rest } = testbed.n8n;
	const query = `id=${encodeURIComponent(file?.id ?? '')}&action=download`;
	const answer = await fetch(`${url}/rest/binary-data?${query}`, {
		headers: { cookie: rest.cookie },
	});
	const [header, ...rows] = readCsv(await answer.text());
	expect(header).toEqual('phone,name,locale,opt_in_status,tags,attributes,created_at'.split(','));
	const expected = [...members]
		.sort((a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id))
		.map((each) => [
			each.phone,
			each.name === '=1+1' ? "'=1+1" : (each.name ?? ''),
			each.locale ?? '',
			'confirmed',
			each.tags.join(', '),
			JSON.stringify(each.attributes),
			each.created_at,
		]);
	expect(members.length).toBeGreaterThan(230);
	expect(rows).toEqual(expected);
});

describe('clean-up-subscriptions.json', () => {
	const id = 'cleanUpDemo';
	const stale = [
		'https://old-n8n.example.com/webhook/1/webhook',
		'https://OLD-n8n.example.com/webhook-test/2/webhook',
		'https://old-n8n.example.com',
	];
	const others = [
		`${PUBLIC_URL}/webhook/3/webhook`,
		'https://old-n8n.example.com.evil.example/webhook',
		'https://not-old-n8n.example.com/webhook',
		'https://sub.old-n8n.example.com/webhook',
		'https://old-n8n.example.com:8443/webhook',
		'https://old-n8n.example.com@shop.example.com/webhook',
		'https://shop.example.com/?from=https://old-n8n.example.com/webhook',
		'https://shop.example.com/old-n8n.example.com/webhook',
	];
	const urls = () => [...testbed.sandbox.store.subscriptions.values()].map(({ url }) => url);
	const run = async (fields: IDataObject) => {
		await setFields(testbed, id, 'What to delete', fields);
		return (await runByHand(testbed, id)).data;
	};

	beforeAll(() => {
		for (const url of [...stale, ...others]) {
			const fields = { events: ['tag.added' as const], secret: 's', active: true, created_at: '' };
			const subscription = { id: crypto.randomUUID(), url, ...fields };
			testbed.sandbox.store.subscriptions.set(subscription.id, subscription);
		}
	});
	afterAll(() => testbed.sandbox.store.subscriptions.clear());

	test('as it comes, it deletes nothing and shows what it would delete', async () => {
		const { data } = await runByHand(testbed, id);
		expect(outputItems(data, 'Would be deleted').map(({ url }) => url)).toEqual(stale);
		expect(outputItems(data, 'Delete subscription')).toEqual([]);
		expect(urls()).toEqual([...stale, ...others]);
	});

	test.each([
		['nothing', ''],
		['a blank', ' '],
		['a part of a host', 'example.com'],
		['a scheme', 'https://'],
		['another host', 'older-n8n.example.com'],
		['the address of this n8n', PUBLIC_URL],
		['the host of this n8n', new URL(PUBLIC_URL).host],
	])('it deletes nothing when %s is named', async (_, old_address) => {
		await run({ old_address, really_delete: true });
		expect(urls()).toEqual([...stale, ...others]);
	});

	test('it deletes those of the named host, written in any way, and no others', async () => {
		const data = await run({
			old_address: ' https://Old-N8N.example.com/home ',
			really_delete: true,
		});
		expect(outputItems(data, 'Delete subscription')).toHaveLength(stale.length);
		expect(urls()).toEqual(others);
	});
});

describe('ai-agent-tool.json', () => {
	const id = 'aiAgentToolDemo';

	test('the agent has both tools, and lacks nothing but a model', async () => {
		const { nodes, connections } = await testbed.n8n.rest.getWorkflow(id);
		const tools = nodes.filter(({ type }) => type === 'n8n-nodes-workspace-crm.workspaceCrmTool');
		expect(tools.map(({ name }) => name)).toEqual(['Find contacts', 'Tag a contact']);
		for (const { name } of tools) {
			expect(connections[name].ai_tool).toEqual([
				[{ node: 'AI Agent', type: 'ai_tool', index: 0 }],
			]);
		}
	});

	test('with a model, it finds the contact and tags it', async () => {
		const contact = testbed.sandbox.store.addContact({
			phone: '+4915112340501',
			name: 'Zoë Quill',
		});
		const { output, requests } = await chatWith(id, 'Tag Quill as vip', [
			() => ({ tool: 'Find_contacts', arguments: { Search: 'Quill' } }),
			(found) => ({
				tool: 'Tag_a_contact',
				arguments: { Contact_ID: /"id":"([^"]+)"/.exec(found)?.[1] ?? '', Tags: 'vip, wholesale' },
			}),
			() => ({ text: 'Zoë Quill has the tags vip and wholesale.' }),
		]);
		expect(output).toEqual([{ output: 'Zoë Quill has the tags vip and wholesale.' }]);
		expect(contact.tags).toEqual(['vip', 'wholesale']);
		expect(offeredTools(requests[0])).toMatchObject({
			Find_contacts: { description: expect.stringContaining('Get many contacts') },
			Tag_a_contact: { description: expect.stringContaining('Add tags to contact') },
		});
	});
});

function chatRun(json: IDataObject): ITaskData {
	const main = [[{ json }]];
	return {
		startTime: Date.now(),
		executionTime: 0,
		executionIndex: 0,
		source: [],
		data: { main },
	};
}

/** Reads CSV: fields in quotes may hold commas, line ends and doubled quotes. */
function readCsv(text: string): string[][] {
	const rows: string[][] = [[]];
	const cells = text.replace(/^\uFEFF/, '').matchAll(/("(?:[^"]|"")*"|[^,\r\n]*)(,|\r?\n|$)/g);
	for (const [whole, cell, end] of cells) {
		if (whole === '') break;
		const value = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
		rows.at(-1)?.push(value);
		if (end.endsWith('\n')) rows.push([]);
	}
	return rows.filter(({ length }) => length > 0);
}

test('approve-agent.json: the contact is erased only if the person says yes', async () => {
	const id = 'approveAgentDemo';
	const { emit, store } = testbed.sandbox;
	const boss = store.addContact({ phone: '+4915112340602', name: 'The boss' });
	const eraseAfter = async (words: string) => {
		const contact = store.addContact({ phone: '+4915112340603', name: 'Otto Quill' });
		const toolParameters = { Contact_ID: contact.id };
		const script: ModelScript = [
			() => ({ tool: 'Erase_a_contact', arguments: { toolParameters, hitlParameters: {} } }),
			() => ({ text: 'That is that.' }),
		];
		await chatWith(id, 'Erase Otto Quill', script, async (executionId) => {
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

test('ask-and-go-on.json: who has not replied in time gets a tag, too', async () => {
	await silence;
	expect(contactOf(silentPhone).tags).toEqual(['did not reply']);
}, 200_000);
