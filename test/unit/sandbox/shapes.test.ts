import { startSandbox, type ListShape, type Sandbox, type Shapes } from '../../sandbox';
import { addContact, call } from './harness';

const lists = ['tags', 'templates', 'automations', 'segments', 'events', 'subscriptions'] as const;

describe('what the reference leaves open', () => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await startSandbox({ limiter: { kind: 'off' } });
	});
	beforeEach(() => sandbox.reset());
	afterAll(async () => await sandbox.close());

	it.each(lists)('lists %s in each of the shapes', async (name) => {
		addContact(sandbox, { tags: ['vip'] });
		const answer = async (list: ListShape) => {
			sandbox.setShapes({ list: { [name]: list } });
			return (await call(sandbox, 'GET', `/v1/${name}`)).body;
		};
		const items = await answer('array');
		expect(Array.isArray(items)).toBe(true);
		expect(await answer('data')).toEqual({ data: items });
		expect(await answer('named')).toEqual({ [name]: items });
		expect(await answer('paged')).toMatchObject({ data: items, limit: 50, offset: 0 });
	});

	it('pages a short list when asked to', async () => {
		sandbox.setShapes({ list: 'paged' });
		const { body } = await call(sandbox, 'GET', '/v1/events?limit=2&offset=4');
		expect(body).toEqual({ data: ['tag.added'], total: 5, limit: 2, offset: 4 });
	});

	it('gives names instead of objects and objects instead of names', async () => {
		addContact(sandbox, { tags: ['vip'] });
		sandbox.setShapes({ tags: 'strings', events: 'objects' });
		expect((await call(sandbox, 'GET', '/v1/tags')).body).toEqual(['vip']);
		expect((await call(sandbox, 'GET', '/v1/events')).body).toContainEqual({ name: 'tag.added' });
	});

	it('gives ids as members of a segment', async () => {
		const { id } = addContact(sandbox, { tags: ['vip'] });
		sandbox.setShapes({ segmentContacts: 'ids' });
		const { body } = await call(sandbox, 'GET', '/v1/segments/seg_vip/contacts');
		expect(body.data).toEqual([id]);
	});

	it.each([
		['tag', 200, { name: 'vip' }],
		['empty', 204, undefined],
	] as const)('answers a tag with %s', async (tagAnswer, status, body) => {
		sandbox.setShapes({ tagAnswer });
		const path = `/v1/contacts/${addContact(sandbox).id}/tags`;
		expect(await call(sandbox, 'POST', path, { name: 'vip' })).toMatchObject({ status, body });
		expect(await call(sandbox, 'DELETE', `${path}/vip`)).toMatchObject({ status, body });
	});

	it.each([
		['empty', 204, undefined],
		['message', 200, { message: 'queued' }],
	] as const)('answers a send and an enrolment with %s', async (shape, status, body) => {
		sandbox.setShapes({ sendAnswer: shape, enrollAnswer: shape });
		const contact_id = addContact(sandbox).id;
		expect(
			await call(sandbox, 'POST', '/v1/messages/template', { contact_id, template: 'welcome' }),
		).toMatchObject({ status, body });
		expect(
			await call(sandbox, 'POST', '/v1/automations/aut_vip_care/enroll', { contact_id }),
		).toMatchObject({ status, body });
	});

	it.each<[Shapes['sendBody'], (id: string, phone: string) => [object, object]]>([
		[
			'contactIdCamel',
			(contactId) => [{ contactId, templateName: 'welcome', params: { name: 'A' } }, { contactId }],
		],
		[
			'phone',
			(_id, phone) => [
				{ to: phone, template: { name: 'welcome' }, variables: { name: 'A' } },
				{ phone },
			],
		],
	])('can expect bodies by %s', async (form, bodiesFor) => {
		sandbox.setShapes({ sendBody: form, enrollBody: form });
		const { id, phone } = addContact(sandbox);
		const [message, enrolment] = bodiesFor(id, phone);
		const sendPath = '/v1/messages/template';
		const enrollPath = '/v1/automations/aut_vip_care/enroll';
		expect((await call(sandbox, 'POST', sendPath, { contact_id: id })).status).toBe(422);
		expect((await call(sandbox, 'POST', sendPath, message)).status).toBe(200);
		expect((await call(sandbox, 'POST', enrollPath, { contact_id: id })).status).toBe(422);
		expect((await call(sandbox, 'POST', enrollPath, enrolment)).status).toBe(200);
		expect(sandbox.store.sentMessages).toMatchObject([
			{ contact_id: id, variables: { name: 'A' } },
		]);
	});

	it('can leave out what a new subscription needs', async () => {
		const create = async (subscriptionCreateAnswer: Shapes['subscriptionCreateAnswer']) => {
			sandbox.setShapes({ subscriptionCreateAnswer });
			const body = { url: 'https://n8n.example.com/x', events: ['tag.added'] };
			return Object.keys((await call(sandbox, 'POST', '/v1/subscriptions', body)).body).sort();
		};
		const rest = ['active', 'created_at', 'events'];
		expect(await create('full')).toEqual([...rest, 'id', 'secret', 'url']);
		expect(await create('noSecret')).toEqual([...rest, 'id', 'url']);
		expect(await create('noId')).toEqual([...rest, 'secret', 'url']);
	});
});
