import { startSandbox, type Contact, type Sandbox } from '../../sandbox';
import { addContact, call } from './harness';

interface ContactPage {
	data: Contact[];
	total: number;
	limit: number;
	offset: number;
}

describe('the contact list of the sandbox', () => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await startSandbox({ limiter: { kind: 'off' }, contacts: 230 });
		addContact(sandbox, { phone: '+4915123456789', name: 'ÅSA Zeta', tags: ['vip', 'a,b'] });
		addContact(sandbox, { phone: '+34612345678', name: 'Asa Zeta', opt_in_status: 'pending' });
	});
	afterAll(async () => await sandbox.close());

	const list = async (query: string) =>
		await call<ContactPage>(sandbox, 'GET', `/v1/contacts?${query}`);
	const phones = async (query: string) => (await list(query)).body.data.map(({ phone }) => phone);

	it('pages through all contacts once, oldest first', async () => {
		const seen: Contact[] = [];
		let total = 1;
		while (seen.length < total) {
			const { body } = await list(`limit=100&offset=${seen.length}`);
			expect(body).toMatchObject({ total: 232, limit: 100, offset: seen.length });
			({ total } = body);
			seen.push(...body.data);
		}
		expect(new Set(seen.map(({ id }) => id)).size).toBe(232);
		const times = seen.map(({ created_at }) => created_at);
		expect(times).toEqual([...times].sort());
	});

	it('has 50 contacts on a page by default and none behind the end', async () => {
		const first = (await list('')).body;
		expect(first).toMatchObject({ limit: 50, offset: 0 });
		expect(first.data).toHaveLength(50);
		expect((await list('offset=500')).body).toMatchObject({ data: [], total: 232 });
	});

	it('searches in names and phones', async () => {
		expect(await phones('search=%C3%A5sa%20z')).toEqual(['+4915123456789']);
		expect(await phones('search=%2B49%20151%20234%2056')).toEqual(['+4915123456789']);
		expect(await phones('search=61234567')).toEqual(['+34612345678']);
	});

	it('combines the filters', async () => {
		expect(await phones('search=zeta&tag=a%2Cb')).toEqual(['+4915123456789']);
		expect(await phones('search=zeta&opt_in_status=pending')).toEqual(['+34612345678']);
		expect(await phones('tag=VIP')).toEqual([]);
		const { body } = await list('tag=vip&opt_in_status=confirmed&limit=5&offset=2');
		const fitting = [...sandbox.store.contacts.values()].filter(
			({ tags, opt_in_status }) => tags.includes('vip') && opt_in_status === 'confirmed',
		);
		expect(body.total).toBe(fitting.length);
		expect(body.data).toEqual(fitting.slice(2, 7));
	});

	it.each([
		'limit=0',
		'limit=101',
		'limit=x',
		'limit=',
		'offset=-1',
		'opt_in_status=maybe',
		'tag=a&tag=b',
	])('answers 422 to %s', async (query) => {
		const { status, text } = await list(query);
		expect(status).toBe(422);
		expect(text).toContain(query.split('=')[0]);
	});
});
