import type { IDataObject } from 'n8n-workflow';

import { systemClock } from '../../../nodes/WorkspaceCrm/n8n/systemClock';
import { PollHost, unlimitedRuntime, type Identity, type PollHostOptions } from './pollHost';
import { addContact, addContacts, useSandbox } from '../support';

/** Which node a baseline belongs to when a user changes the node, its workflow, n8n or the credential. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const elsewhere = useSandbox({
	limiter: { kind: 'off' },
	apiKey: 'key-of-another-workspace',
	workspace: { id: 'b7a0c6de-31f5-4f8a-8f0e-5d9f60c1e002', name: 'Another Workspace' },
});

const parameters = { watch: 'all', events: ['entered', 'updated'], fields: ['name'] };

function hostOf(others: Partial<PollHostOptions> = {}) {
	return new PollHost(sandbox, { parameters, runtime: unlimitedRuntime(), ...others });
}

/** A published node that has already started the workflow with one event. */
async function withPast(others: Partial<PollHostOptions> = {}) {
	const [contact] = addContacts(sandbox, 3);
	const host = hostOf(others);
	await host.publish();
	await host.poll();
	contact.name = 'First';
	await host.poll();
	expect(namesIn(host)).toEqual(['First']);
	return { host, contact };
}

const namesIn = ({ events }: PollHost) =>
	events.map(({ contact }) => (contact as IDataObject).name as string);

describe.each([
	['as n8n saves static data', false],
	['with durable cursors', true],
])('%s', (_, isDurable) => {
	test('a renamed node repeats nothing and continues', async () => {
		const { host, contact } = await withPast({ isDurable });
		for (const nodeName of ['Renamed', 'Renamed Again', 'Changes']) {
			host.identity.nodeName = nodeName;
			await host.publish('update');
			await host.poll();
			expect(namesIn(host).at(-1)).not.toBe(nodeName);
			contact.name = nodeName;
			await host.poll(2);
		}
		expect(namesIn(host)).toEqual(['First', 'Renamed', 'Renamed Again', 'Changes']);
	});

	test('the first poll of a new node with the name of a deleted one starts nothing', async () => {
		const { host, contact } = await withPast({ isDurable });
		contact.name = 'Between';
		addContact(sandbox);
		host.identity.nodeId = 'another-node';
		await host.publish('update');
		await host.poll();
		expect(namesIn(host)).toEqual(['First']);
		contact.name = 'Afterwards';
		await host.poll(2);
		expect(namesIn(host)).toEqual(['First', 'Afterwards']);
	});

	test.each<[string, Partial<Identity>]>([
		['a copied workflow in the same n8n', { workflowId: 'workflow-2' }],
		['a workflow imported into another n8n', { instanceId: 'instance-2' }],
	])('the first poll of %s starts nothing', async (_name, identity) => {
		const { host, contact } = await withPast({ isDurable });
		contact.name = 'Between';
		const other = hostOf({ isDurable, identity, staticData: host.stored });
		await other.publish('update');
		await other.poll();
		expect(namesIn(other)).toEqual([]);
		contact.name = 'Afterwards';
		await other.poll(2);
		expect(namesIn(other)).toEqual(['Afterwards']);
	});

	test('a node that was disabled reports the changes since then, once', async () => {
		const { host, contact } = await withPast({ isDurable });
		contact.name = 'While disabled';
		await host.publish('update');
		await host.poll(2);
		expect(namesIn(host)).toEqual(['First', 'While disabled']);
	});

	test.each([
		['fields', { ...parameters, fields: ['name', 'locale'] }],
		['list', { ...parameters, watch: 'filter', filters: { optInStatus: 'none' } }],
	])('another choice of %s starts a new baseline', async (_name, others) => {
		const { host, contact } = await withPast({ isDurable });
		contact.name = 'Between';
		host.options.parameters = others;
		await host.publish('update');
		await host.poll();
		expect(namesIn(host)).toEqual(['First']);
		contact.name = 'Afterwards';
		await host.poll(2);
		expect(namesIn(host)).toEqual(['First', 'Afterwards']);
	});

	test('publishing after a pause starts a new baseline', async () => {
		const { host, contact } = await withPast({ isDurable });
		contact.name = 'In the pause';
		await host.publish('activate');
		await host.poll();
		expect(namesIn(host)).toEqual(['First']);
		contact.name = 'Afterwards';
		await host.poll(2);
		expect(namesIn(host)).toEqual(['First', 'Afterwards']);
	});

	test('a restart of n8n repeats nothing and loses nothing', async () => {
		const { host, contact } = await withPast({ isDurable });
		for (const name of ['Second', 'Third']) {
			contact.name = name;
			await host.restart();
			await host.poll(2);
		}
		expect(namesIn(host)).toEqual(['First', 'Second', 'Third']);
	});

	test('a rotated key keeps the baseline, even across a restart', async () => {
		const { host, contact } = await withPast({ isDurable });
		contact.name = 'Second';
		const url = sandbox.url.replace('127.0.0.1', 'localhost');
		host.useCredentialOf({ url, apiKey: sandbox.apiKey });
		await host.restart();
		await host.poll(2);
		expect(namesIn(host)).toEqual(['First', 'Second']);
	});

	test('the key of another workspace starts a new baseline', async () => {
		const { host } = await withPast({ isDurable });
		const [theirs] = addContacts(elsewhere, 4);
		host.useCredentialOf(elsewhere);
		await host.poll(3);
		expect(namesIn(host)).toEqual(['First']);
		theirs.name = 'Theirs';
		await host.poll(2);
		expect(namesIn(host)).toEqual(['First', 'Theirs']);
		expect(host.errors).toEqual([]);
	});
});

test('two nodes in one workflow repeat and lose nothing, whichever saves', async () => {
	const { host, contact } = await withPast();
	const other = hostOf({
		parameters: { watch: 'all', events: ['consentChanged'] },
		identity: { nodeId: 'consent', nodeName: 'Consent' },
		besides: host,
	});
	// Published alone, so that each has static data as it was loaded then.
	await other.publish('update');
	contact.opt_in_status = 'pending';
	await other.poll();
	contact.name = 'Second';
	await host.poll();
	contact.opt_in_status = 'confirmed';
	await other.poll();
	await host.restart();
	await other.restart();
	expect(namesIn(host)).toEqual(['First', 'Second']);
	expect(other.events.map(({ changed }) => changed)).toEqual([
		{ opt_in_status: { from: 'none', to: 'pending' } },
		{ opt_in_status: { from: 'pending', to: 'confirmed' } },
	]);
});

test('the data of a renamed or deleted node is removed after a restart', async () => {
	const { host, contact } = await withPast();
	const identity = { nodeId: 'deleted', nodeName: 'Deleted' };
	const other = hostOf({ parameters, identity, besides: host });
	await other.publish('update');
	contact.name = 'Second';
	await other.poll();
	other.delete();
	host.identity.nodeName = 'Renamed';
	await host.restart();
	contact.name = 'Third';
	await host.poll();
	expect(namesIn(host)).toEqual(['First', 'Second', 'Third']);
	expect(Object.keys(JSON.parse(host.stored) as object)).toEqual(['node:Renamed']);
});

test('a restart does not repeat events found while another node was published', async () => {
	const { host, contact } = await withPast();
	const other = hostOf({
		parameters: { watch: 'all', events: ['consentChanged'] },
		identity: { nodeId: 'consent', nodeName: 'Consent' },
		besides: host,
	});
	contact.name = 'Meanwhile';
	const meanwhile = async () => await host.poll();
	sandbox.fail({ match: { path: '/v1/contacts' }, kind: { meanwhile } });
	await other.publish('update');
	await host.restart();
	await other.restart();
	expect(namesIn(host)).toEqual(['First', 'Meanwhile']);
});

test('publishing does not repeat events after a run saved older static data', async () => {
	let laterMs = 0;
	const elapsedMs = () => systemClock.elapsedMs() + laterMs;
	const { host, contact } = await withPast({
		runtime: unlimitedRuntime({ ...systemClock, elapsedMs }),
	});
	const loadedByRun = host.stored;
	contact.name = 'Meanwhile';
	await host.poll();
	host.stored = loadedByRun;
	laterMs = 60_000;
	await host.publish('update');
	await host.poll();
	expect(namesIn(host)).toEqual(['First', 'Meanwhile']);
});

test('refuses to publish a workflow whose ID is too long for n8n to store a baseline', async () => {
	const host = hostOf({ identity: { workflowId: 'imported-workflow-0001' } });
	await expect(host.publish()).rejects.toThrow(
		'The ID of this workflow has 22 characters, and n8n stores no data for workflows with more than 21. Copy all nodes into a new workflow, and publish that one. n8n gives it a shorter ID.',
	);
	expect(sandbox.requests).toEqual([]);
});

test('static data holds no personal data', async () => {
	addContact(sandbox, {
		name: 'Anna Muster',
		tags: ['secret-tag'],
		attributes: { city: 'Köln' },
		locale: 'de-CH',
	});
	const events = ['consentChanged', 'entered', 'tagAdded', 'updated'];
	const fields = ['attributes', 'last_inbound_at', 'locale', 'name', 'source'];
	const host = hostOf({ parameters: { watch: 'all', events, fields } });
	await host.publish();
	const { 'node:Changes': stored } = JSON.parse(host.stored) as Record<string, IDataObject>;
	expect(stored.baseline).toBeDefined();
	for (const text of ['Anna', 'Muster', '4915123456789', 'secret-tag', 'Köln', 'de-CH']) {
		expect(host.stored).not.toContain(text);
	}
});

describe('an incomplete list', () => {
	const LIST = /^\/v1\/contacts$/;

	test('gives no event, then an error with total and count, and nothing is lost', async () => {
		const { host, contact } = await withPast();
		contact.name = 'Second';
		sandbox.fail({
			match: { path: LIST },
			times: Infinity,
			kind: { page: (page) => ({ ...page, total: 5 }) },
		});
		await host.poll(2);
		expect([host.errors, namesIn(host)]).toEqual([[], ['First']]);
		expect(host.log.filter((line) => line.includes('incomplete'))).toHaveLength(2);
		await host.poll();
		expect(host.errors.map(({ message }) => message)).toEqual([
			'The list is incomplete: the service reports 5 records, but returned only 3',
		]);
		sandbox.clearFaults();
		await host.poll(2);
		expect(namesIn(host)).toEqual(['First', 'Second']);
	});

	test('is an error when publishing', async () => {
		addContacts(sandbox, 3);
		sandbox.fail({
			match: { path: LIST },
			times: Infinity,
			kind: { page: (page) => ({ ...page, total: 5 }) },
		});
		await expect(hostOf().publish()).rejects.toThrow('reports 5 records, but returned only 3');
	});

	test('with a page that keeps failing blocks nothing once the list is shorter', async () => {
		const contacts = addContacts(sandbox, 250);
		const host = hostOf();
		await host.publish();
		await host.poll();
		// From here on nothing beyond the second page can be read.
		sandbox.fail({
			match: { path: LIST },
			times: Infinity,
			kind: { page: (page) => (page.offset >= 200 ? { detail: 'too far' } : page) },
		});
		await host.poll(2);
		contacts.slice(150).forEach((each) => sandbox.store.eraseContact(each));
		contacts[0].name = 'Noticed';
		await host.poll(2);
		expect(namesIn(host)).toEqual(['Noticed']);
	});
});

describe('a contact missing from the list', () => {
	test('starts nothing if it was erased and only Left is chosen', async () => {
		const [contact] = addContacts(sandbox, 3, { tags: ['vip'] });
		sandbox.store.segments.push({ id: 'seg_test', name: 'Test', rule: { tag: 'vip' } });
		const host = hostOf({
			parameters: {
				watch: 'segment',
				segmentId: { __rl: true, mode: 'id', value: 'seg_test' },
				events: ['left'],
			},
		});
		await host.publish();
		sandbox.store.eraseContact(contact);
		await host.poll(4);
		expect(host.events).toEqual([]);
	});

	test('is requested by ID once, and again after it was back in the list', async () => {
		const contacts = addContacts(sandbox, 3);
		const host = hostOf();
		await host.publish();
		const hide = () =>
			sandbox.fail({
				match: { path: /^\/v1\/contacts$/ },
				times: Infinity,
				kind: { page: (page) => ({ ...page, data: page.data.slice(0, 2), total: 2 }) },
			});
		const asked = () =>
			sandbox.requests.filter(({ path }) => path.startsWith('/v1/contacts/')).length;
		hide();
		await host.poll(12);
		expect(asked()).toBe(1);
		sandbox.clearFaults();
		contacts[2].name = 'Back';
		await host.poll();
		expect(namesIn(host)).toEqual(['Back']);
		hide();
		await host.poll(6);
		expect(asked()).toBe(2);
	});
});

describe('events that n8n drops come again, once', () => {
	/** A change that the next poll finds, and what happens before this poll ends. */
	function changeDuringPoll(contact: { name: string | null }, act: () => Promise<void>) {
		contact.name = 'During the poll';
		const match = { path: '/v1/contacts' };
		sandbox.fail({ match, kind: { meanwhile: async () => await act() } });
	}

	test.each([
		['another name', (host: PollHost) => (host.identity.nodeName = 'Renamed')],
		['another option', ({ options }: PollHost) => (options.parameters.simplify = false)],
		['nothing else', () => undefined],
	])('because the workflow was published with %s while a poll was reading', async (_, change) => {
		const { host, contact } = await withPast({ parameters: { ...parameters } });
		changeDuringPoll(contact, async () => {
			change(host);
			await host.publish('update');
		});
		await host.poll(3);
		expect(namesIn(host)).toEqual(['First', 'During the poll']);
		await host.restart();
		await host.poll();
		expect(namesIn(host)).toEqual(['First', 'During the poll']);
	});

	test('although another node of the workflow, published earlier, then saves its own', async () => {
		const { host, contact } = await withPast();
		const other = hostOf({
			parameters: { watch: 'all', events: ['consentChanged'] },
			identity: { nodeId: 'consent', nodeName: 'Consent' },
			besides: host,
		});
		await other.publishWith(host);
		changeDuringPoll(contact, async () => await host.publish('update'));
		await host.poll();
		contact.opt_in_status = 'pending';
		await other.poll();
		await host.poll(2);
		expect(namesIn(host)).toEqual(['First', 'During the poll']);
		expect(other.events).toHaveLength(1);
	});

	test.each([
		['as n8n saves static data', false],
		['with durable cursors', true],
	])('because the database could not be written, %s', async (_, isDurable) => {
		let laterMs = 0;
		const elapsedMs = () => systemClock.elapsedMs() + laterMs;
		const runtime = unlimitedRuntime({ ...systemClock, elapsedMs });
		const { host, contact } = await withPast({ isDurable, runtime });
		contact.name = 'While locked';
		host.isLocked = true;
		await host.poll();
		host.isLocked = false;
		for (let polls = 0; polls < 3; polls += 1) {
			laterMs += 60_000;
			await host.poll();
		}
		expect(namesIn(host)).toEqual(['First', 'While locked']);
		await host.restart();
		await host.poll();
		expect(namesIn(host)).toEqual(['First', 'While locked']);
	});
});

test('another spelling of the same contact is no change', async () => {
	const contact = addContact(sandbox, {
		...{ name: 'Café', attributes: { plan: 'pro' }, tags: ['Größe'] },
		last_inbound_at: '2026-01-15T10:00:00.000Z',
	});
	addContact(sandbox, { phone: '+4915123456700', name: null });
	const events = ['consentChanged', 'tagAdded', 'tagRemoved', 'updated'];
	const fields = ['attributes', 'last_inbound_at', 'name'];
	const host = hostOf({ parameters: { watch: 'all', events, fields } });
	await host.publish();
	const rewrite = (text: string) =>
		text
			.normalize('NFD')
			.replaceAll('"name":null', '"name":""')
			.replaceAll('"plan":"pro"', '"plan":" pro","old":null')
			.replaceAll('10:00:00.000Z', '10:00:00Z');
	sandbox.fail({ match: { path: '/v1/contacts' }, times: 3, kind: { rewrite } });
	await host.poll(3);
	expect(host.events).toEqual([]);
	contact.name = 'Cafe';
	await host.poll();
	expect(host.events).toMatchObject([{ event: 'updated', changed: { fields: ['name'] } }]);
});
