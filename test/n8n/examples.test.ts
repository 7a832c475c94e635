import { NodeHelpers, type INodeTypeDescription } from 'n8n-workflow';

import type { JsonObject } from '../../tools/sandbox';
import { delay, fs, path } from '../../tools/support/platform';
import { ofFeatures } from '../support/features';
import {
	changeNode,
	chatWith,
	contactOf,
	endedExecutions,
	EXPORTED,
	nodesWithOutput,
	readExamples,
	runByHand,
	saveContact,
	setFields,
	useOtherAddress,
	whilePublished,
} from './exampleRuns';
import { startJsonServer } from '../../tools/n8n/jsonServer';
import { outputItems } from '../../tools/n8n/n8nRestClient';
import { examplesFolder } from '../../tools/n8n/paths';
import { offeredTools, withModelNode, type ModelScript } from './scriptedModel';
import { deliver, PUBLIC_URL, startTestbed, type Testbed } from '../../tools/n8n/testbed';
import { linkTo } from '../../tools/n8n/workflows';

interface ExampleTests {
	exampleTests: (bed: () => Testbed) => void;
}

let testbed: Testbed;
let nodeTypes: INodeTypeDescription[];

beforeAll(async () => {
	testbed = await startTestbed({ contacts: 200, hasExamples: true, hasEditor: true });
	nodeTypes = await testbed.n8n.rest.nodeTypes();
}, 600_000);
afterAll(async () => await testbed?.close());
afterEach(() => testbed.sandbox.setShapes({ tagInEvent: 'string', answersInEvent: 'object' }));

const ours = 'n8n-nodes-workspace-crm.';

describe.each(readExamples())('$file', (example) => {
	test('is imported with node versions that n8n knows and with valid parameters', async () => {
		const saved = await testbed.n8n.rest.getWorkflow(example.id);
		expect(saved).toMatchObject({ name: example.name, active: false });
		// If an id is longer, n8n 1.100 stores nothing that a trigger keeps, such as its signing secret.
		expect(example.id.length).toBeLessThanOrEqual(16);
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
			// n8n would drop saved values that the node does not know.
			expect(full.parameters).toMatchObject(node.parameters);
		}
	});

	test('has a note, the demo credential in all nodes, and a line in the list of examples', () => {
		const [note, ...nodes] = example.nodes;
		expect(note).toMatchObject({ name: 'About this workflow' });
		expect(String(note.parameters.content)).toMatch(/^## .+\n\n[^]+\n1\. \*\*/);
		const crmNodes = nodes.filter(({ type }) => type.startsWith(ours));
		expect(crmNodes.length).toBeGreaterThan(0);
		for (const { credentials } of crmNodes) {
			expect(credentials?.workspaceCrmApi?.id).toBe('workspaceCrmDemo');
		}
		const list = fs.readFileSync(path.join(examplesFolder, 'README.md'), 'utf8');
		expect(list).toContain(`(${example.file})`);
	});
});

test('contact-import.json: saves good rows, and rejects bad ones with a reason', async () => {
	const { requests } = testbed.sandbox;
	const requestsBefore = requests.length;
	const { data } = await runByHand(testbed, 'contactImport');
	const [rows, saved, rejected] = ['Each row', 'Saved', 'Rejected'].map((name) =>
		outputItems(data, name),
	);
	expect(rows).toHaveLength(36);
	// Two rows repeat a phone number in another format.
	expect(saved.map(({ created }) => created).filter((created) => !created)).toHaveLength(2);
	expect(saved).toHaveLength(32);
	const names = ['Too short', 'Letters', 'No phone', 'Unknown country'];
	const error = expect.stringMatching(/./);
	expect(rejected).toHaveLength(names.length);
	for (const name of names)
		expect(rejected).toContainEqual(expect.objectContaining({ name, error }));
	// The bad rows are refused before anything is sent; numbers with two forms are looked up first.
	const writes = requests.slice(requestsBefore).filter(({ method }) => method !== 'GET');
	expect(writes).toHaveLength(32);
});

test('find-or-create.json: creates once, then finds; any other error creates nothing', async () => {
	const { store, requests, fail } = testbed.sandbox;
	const contacts = async () =>
		outputItems((await runByHand(testbed, 'findOrCreate')).data, 'Contact');
	const [created] = await contacts();
	expect(created).toMatchObject({ phone: '+491703450301', name: 'Lina Vogel', created: true });
	contactOf(testbed, '+491703450301').name = 'Lina Vogel-Brandt';
	expect(await contacts()).toMatchObject([{ id: created.id, name: 'Lina Vogel-Brandt' }]);

	store.eraseContact(contactOf(testbed, '+491703450301'));
	fail({ match: { method: 'GET' }, kind: { status: 401, detail: 'API key revoked' } });
	const postsBefore = requests.filter(({ method }) => method === 'POST').length;
	await expect(contacts()).rejects.toThrow("ended with 'error'");
	expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(postsBefore);
});

test('tag-on-message.json: a message tags its contact, also when run by hand with the pinned event', async () => {
	const phone = '+447911123456';
	await whilePublished(testbed, 'tagOnMessage', async () => {
		testbed.sandbox.emit.inboundMessage({ phone }, 'Do you have a table for two tonight?');
		await endedExecutions(testbed, 'tagOnMessage', 1);
		expect(contactOf(testbed, phone).tags).toContain('wrote to us');
	});

	const { pinData } = await testbed.n8n.rest.getWorkflow('tagOnMessage');
	const [{ json }] = pinData?.['Message received'] ?? [];
	await runByHand(testbed, 'tagOnMessage', 'Message received');
	const pinned = testbed.sandbox.store.contacts.get(String(json.sessionId));
	expect(pinned?.tags).toContain('wrote to us');
});

test('welcome-confirmed-contact.json: sends one welcome, once the consent is confirmed', async () => {
	const id = 'welcomeContact';
	const { emit, store, deliveries, redeliver } = testbed.sandbox;
	await useOtherAddress(testbed);
	const phone = '+4915112340101';
	const sent = () =>
		store.sentMessages.filter(({ contact_id }) => contact_id === contactOf(testbed, phone).id);
	await whilePublished(testbed, id, async () => {
		// A stranger writes: a contact without consent, in two events.
		emit.inboundMessage({ phone }, 'Hello');
		await endedExecutions(testbed, id, 2);
		expect(sent()).toEqual([]);

		contactOf(testbed, phone).opt_in_status = 'confirmed';
		emit.inboundMessage({ phone }, 'Here I am again');
		await endedExecutions(testbed, id, 4);
		expect(sent()).toMatchObject([{ template: 'welcome', variables: { name: 'there' } }]);
		expect(contactOf(testbed, phone)).toMatchObject({
			tags: ['welcome'],
			attributes: { welcome_sent_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.+Z$/) },
		});

		// Another message, the same events again, the tag set by hand, and a contact who opted out.
		emit.inboundMessage({ phone }, 'Thanks');
		for (const { deliveryId } of [...deliveries]) await redeliver(deliveryId);
		contactOf(testbed, phone).tags.length = 0;
		await saveContact(testbed.sandbox, { phone, tags: ['welcome'] });
		const optedOut = store.addContact({ phone: '+4915112340103', opt_in_status: 'opted_out' });
		emit.inboundMessage(optedOut.id, 'Hello');
		await endedExecutions(testbed, id, 7);
		expect(store.sentMessages).toEqual(sent());
	});
});

test('tag-on-keyword.json: matches whole words in any case, also several', async () => {
	const id = 'tagOnKeyword';
	const { emit } = testbed.sandbox;
	const messages: Array<[text: string, tags: string[]]> = [
		['What is the PRICE, please?', ['asked for prices']],
		['Your opening\nhours? And by E-Mail!', ['asked for hours', 'wants e-mail']],
		['A priceless shop with upriced goods, opening at all hours', []],
		['', []],
	];
	await whilePublished(testbed, id, async () => {
		for (const [index, [text]] of messages.entries()) {
			emit.inboundMessage({ phone: `+491511234020${index}` }, text, text ? 'text' : 'image');
		}
		await endedExecutions(testbed, id, messages.length);
		for (const [index, [, tags]] of messages.entries()) {
			expect(contactOf(testbed, `+491511234020${index}`).tags.sort()).toEqual(tags);
		}
	});
});

test('form-to-attributes.json: saves answers of any shape as attributes; blank ones erase nothing', async () => {
	const id = 'formToAttributes';
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
	const before = { plan: 'pro', note: 'Kept', city: 'Leeds' };
	const contacts = Array.from({ length: 4 }, (_, index) =>
		store.addContact({
			phone: `+491511234030${index}`,
			attributes: { ...before, size: 'S' },
		}),
	);

	await whilePublished(testbed, id, async () => {
		const rows = Object.entries(answers).map(([key, value]) => ({ key, value }));
		// The last one has nothing to save, which is no error.
		const given = [answers, rows as unknown as JsonObject, { note: '' }];
		for (const [index, each] of given.entries()) emit.submitForm(contacts[index].id, '1', each);
		setShapes({ answersInEvent: 'array' });
		emit.submitForm(contacts[3].id, '1', answers);
		await endedExecutions(testbed, id, contacts.length);
		const saved = contacts.map(({ attributes }) => attributes);
		expect(saved.splice(2, 1)).toEqual([{ ...before, size: 'S' }]);
		expect(saved).toEqual(Array(3).fill({ ...before, ...expected }));
		const updates = requests.filter(({ method }) => method === 'PATCH').length - patchesBefore;
		expect(updates).toBe(3);
	});
});

test('opt-out-to-other-system.json: forwards opt-outs, retries, and tags those it could not report', async () => {
	const id = 'optOut';
	const { emit, store } = testbed.sandbox;
	// Down for one request at first, and later for good.
	const other = await startJsonServer(() => ({ status: other.requests.length === 2 ? 200 : 503 }));
	try {
		await setFields(testbed, id, 'Other system', { url: `${other.url}/opt-outs` });
		await whilePublished(testbed, id, async () => {
			const told = store.addContact({ phone: '+4915112340401', opt_in_status: 'confirmed' });
			const event = emit.optOut(told.id);
			const [first] = await endedExecutions(testbed, id, 1);
			expect(nodesWithOutput(first)).toContain('Told');
			expect(other.requests[1]).toMatchObject({
				method: 'POST',
				path: '/opt-outs',
				headers: { 'idempotency-key': event.id },
				body: {
					phone: '+4915112340401',
					contact_id: told.id,
					opted_out_at: event.created_at,
					event_id: event.id,
				},
			});
			expect(other.requests[0].headers['idempotency-key']).toBe(event.id);

			const marked = store.addContact({ phone: '+4915112340402' });
			emit.optOut(marked.id);
			const [, second] = await endedExecutions(testbed, id, 2);
			expect(nodesWithOutput(second)).not.toContain('Told');
			expect([told.tags, marked.tags]).toEqual([[], ['opt-out not passed on']]);
		});
	} finally {
		await other.close();
	}
});

test('each-event-once.json: sends once per event, also in a burst and after a restart', async () => {
	const id = 'eachEventOnce';
	const { store, redeliver, deliveries, emit } = testbed.sandbox;
	const people = Array.from({ length: 16 }, (_, n) =>
		store.addContact({ phone: `+49151123409${20 + n}`, name: 'Ines', opt_in_status: 'none' }),
	);
	const messages = () =>
		people.map(
			({ id: own }) => store.sentMessages.filter(({ contact_id }) => contact_id === own).length,
		);
	const once = people.map(() => 1);
	await whilePublished(testbed, id, async () => {
		const events = people.map((contact) => emit.submitForm(contact.id, '1', { guests: 2 }).id);
		await endedExecutions(testbed, id, people.length);
		expect(messages()).toEqual(once);

		await testbed.restart('stop');
		const repeats = deliveries.filter(({ eventId }) => events.includes(eventId));
		expect(repeats).toHaveLength(people.length);
		await Promise.all(repeats.map(async ({ deliveryId }) => await redeliver(deliveryId)));
		await endedExecutions(testbed, id, 2 * people.length);
		expect(messages()).toEqual(once);

		// Another event of the same contact is another message.
		emit.submitForm(people[0].id, '1', { guests: 3 });
		await endedExecutions(testbed, id, 2 * people.length + 1);
		expect(messages()).toEqual([2, ...once.slice(1)]);
	});
}, 180_000);

test('answer-after-pause.json: answers several messages of a contact once', async () => {
	const id = 'answerAfterPause';
	const { emit, store } = testbed.sandbox;
	await changeNode(testbed, id, 'Wait for more', ({ parameters }) => {
		parameters.amount = 5;
	});
	const sentTo = (contactId: string) =>
		store.sentMessages.filter(({ contact_id }) => contact_id === contactId);
	const quick = store.addContact({ phone: '+4915112340901' });
	// The service may give the time of an event in whole seconds.
	const second = new Date().toISOString().slice(0, 19);
	const other = store.addContact({
		phone: '+4915112340902',
		last_inbound_at: `${second}.500Z`,
	});
	await whilePublished(testbed, id, async () => {
		for (const text of ['Hello,', 'do you have', 'a table for two?']) {
			emit.inboundMessage(quick.id, text);
			await delay(300);
		}
		const data = { contact: { id: other.id }, message: { text: 'Hi' } };
		const event = { id: 'evt_1', event: 'message.received', created_at: `${second}Z`, data };
		const [subscription] = store.subscriptions.values();
		expect(await deliver(testbed, subscription, JSON.stringify(event))).toBe(200);

		const all = await endedExecutions(testbed, id, 4);
		const answered = all.filter((each) => nodesWithOutput(each).includes('Send answer'));
		const texts = answered.map((each) => outputItems(each.data, 'Message received')[0].chatInput);
		expect(texts.sort()).toEqual(['Hi', 'a table for two?']);
		expect([sentTo(quick.id).length, sentTo(other.id).length]).toEqual([1, 1]);
	});
}, 120_000);

test('export-segment.json: writes every contact of the segment to a CSV file for spreadsheets', async () => {
	const { store } = testbed.sandbox;
	const attributes = { city: 'Köln' };
	for (let index = 0; index < 130; index += 1) {
		store.addContact({
			phone: `${EXPORTED}${index + 1_000}`,
			name: ['O’Neill, "Ann"\nØ', '=1+1'][index] ?? `Reader ${index}`,
			opt_in_status: 'confirmed',
			tags: ['newsletter', 'vip'],
			attributes,
		});
	}
	const members = [...store.contacts.values()].filter(
		({ tags, opt_in_status }) => tags.includes('newsletter') && opt_in_status === 'confirmed',
	);
	const { data } = await runByHand(testbed, 'exportSegment');
	const [item] = data.resultData.runData['Make CSV file'][0].data?.main[0] ?? [];
	const file = item.binary?.data;
	expect(file).toMatchObject({
		mimeType: 'text/csv',
		fileName: expect.stringMatching(/^segment-\d{4}-\d\d-\d\d\.csv$/),
	});
	const { url, rest } = testbed.n8n;
	const query = `id=${encodeURIComponent(file?.id ?? '')}&action=download`;
	const headers = { cookie: rest.cookie };
	const text = await (await fetch(`${url}/rest/binary-data?${query}`, { headers })).text();
	expect(text).toMatch(/^\uFEFF?phone,name,locale,opt_in_status,tags,attributes,created_at\n/);
	for (const { phone } of members) expect(text.split(phone)).toHaveLength(2);
	expect(text).toContain(
		'+4915112351000,"O’Neill, ""Ann""\nØ",,confirmed,"[""newsletter"",""vip""]","{""city"":""Köln""}",',
	);
	// escaped, as a spreadsheet would run it as a formula
	expect(text).toContain("+4915112351001,'=1+1,");
});

test('clean-up-subscriptions.json: deletes only the subscriptions of the given host', async () => {
	const id = 'cleanUp';
	const stale = ['https://old-n8n.example.com/webhook/1/webhook', 'https://OLD-n8n.example.com'];
	const others = [
		`${PUBLIC_URL}/webhook/3/webhook`,
		'https://old-n8n.example.com.evil.example/webhook',
		'https://sub.old-n8n.example.com/webhook',
		'https://old-n8n.example.com@shop.example.com/webhook',
		'https://shop.example.com/?from=https://old-n8n.example.com/webhook',
	];
	const { subscriptions } = testbed.sandbox.store;
	for (const url of [...stale, ...others]) {
		const fields = { events: ['tag.added' as const], secret: 's', active: true, created_at: '' };
		const subscription = { id: crypto.randomUUID(), url, ...fields };
		subscriptions.set(subscription.id, subscription);
	}
	const urls = () => [...subscriptions.values()].map(({ url }) => url);
	const run = async (old_address: string) => {
		await setFields(testbed, id, 'What to delete', { old_address, really_delete: true });
		await runByHand(testbed, id);
	};

	const { data } = await runByHand(testbed, id);
	expect(outputItems(data, 'Would be deleted').map(({ url }) => url)).toEqual(stale);
	for (const none of [' ', 'example.com', 'https://', new URL(PUBLIC_URL).host]) await run(none);
	expect(urls()).toEqual([...stale, ...others]);
	await run(' https://Old-N8N.example.com/home ');
	expect(urls()).toEqual(others);
	subscriptions.clear();
});

test('ai-agent-tool.json: the agent finds the contact and tags it', async () => {
	const contact = testbed.sandbox.store.addContact({
		phone: '+4915112340501',
		name: 'Zoë Quill',
	});
	const { output, requests } = await chatWith(testbed, 'aiAgentTool', 'Tag Quill as vip', [
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

test('answer-with-agent.json: the agent answers a message by a template, in one line', async () => {
	const id = 'answerWithAgent';
	const { emit, store } = testbed.sandbox;
	const { rest } = testbed.n8n;
	const contact = store.addContact({ phone: '+4915112340801', opt_in_status: 'confirmed' });
	const script: ModelScript = [
		(_last, { body }) => {
			expect(JSON.stringify(body)).toContain('When do you open?');
			return { text: 'At 8.\n\nSee you soon!' };
		},
		() => ({ text: 'Bye' }),
	];
	await withModelNode(testbed, script, async (model) => {
		const { connections, versionId, ...saved } = await rest.getWorkflow(id);
		connections[model.name] = linkTo('AI Agent', 'ai_languageModel');
		const nodes = [...saved.nodes, model];
		await rest.request('PATCH', `/workflows/${id}`, { nodes, connections, versionId });
		await whilePublished(testbed, id, async () => {
			emit.inboundMessage(contact.id, 'When do you open?');
			await endedExecutions(testbed, id, 1);
			const sent = store.sentMessages.filter(({ contact_id }) => contact_id === contact.id);
			const variables = { text: 'At 8. See you soon!' };
			expect(sent).toMatchObject([{ template: 'reply', variables }]);
			store.contacts.get(contact.id)!.opt_in_status = 'opted_out';
			emit.inboundMessage(contact.id, 'When do you open?');
			const [, refused] = await endedExecutions(testbed, id, 2);
			expect(outputItems(refused.data, 'Not sent')).toHaveLength(1);
			// Whoever answers questions of other workflows.
			store.contacts.get(contact.id)!.tags = ['team'];
			emit.inboundMessage(contact.id, 'yes');
			const [, , ofTeam] = await endedExecutions(testbed, id, 3);
			expect(outputItems(ofTeam.data, 'Not of the team')).toEqual([]);
		});
	});
});

test('hand-over-to-person.json: answers until the contact asks for a person, then stays silent', async () => {
	const id = 'handOver';
	const { emit, store } = testbed.sandbox;
	const options = { name: 'Ida', opt_in_status: 'confirmed' } as const;
	const contact = store.addContact({ phone: '+4915112340802', ...options });
	const sent = () =>
		store.sentMessages.filter(({ contact_id }) => contact_id === contact.id).length;
	await whilePublished(testbed, id, async () => {
		emit.inboundMessage(contact.id, 'Hello');
		await endedExecutions(testbed, id, 1);
		expect([sent(), contact.tags]).toEqual([1, []]);
		emit.inboundMessage(contact.id, 'I want a Person!');
		const [, asked] = await endedExecutions(testbed, id, 2);
		expect(outputItems(asked.data, 'Tell the team')).toEqual([
			{ text: 'Ida (+4915112340802) would like to talk to a person: I want a Person!' },
		]);
		emit.inboundMessage(contact.id, 'Hello?');
		const [, , silent] = await endedExecutions(testbed, id, 3);
		expect(nodesWithOutput(silent)).toContain('A person answers');
		expect([sent(), contact.tags]).toEqual([1, ['human']]);
		contact.tags.length = 0;
		emit.inboundMessage(contact.id, 'Thanks');
		await endedExecutions(testbed, id, 4);
		expect(sent()).toBe(2);
	});
});

for (const { exampleTests } of ofFeatures<ExampleTests>('examples', 'test/n8n'))
	exampleTests(() => testbed);
