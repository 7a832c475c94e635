import { startSandbox, type Sandbox } from '../../sandbox';
import { addContact, call } from './harness';

describe('sending, enrolling and segments in the sandbox', () => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await startSandbox({ limiter: { kind: 'off' } });
	});
	beforeEach(() => sandbox.reset());
	afterAll(async () => await sandbox.close());

	const send = async (body: unknown) => await call(sandbox, 'POST', '/v1/messages/template', body);
	const enroll = async (automation: string, body: unknown) =>
		await call(sandbox, 'POST', `/v1/automations/${automation}/enroll`, body);

	it('sends a template by name or id', async () => {
		const { id } = addContact(sandbox);
		const sent = await send({ contact_id: id, template: 'welcome', variables: { name: 'Anna' } });
		expect(sent).toMatchObject({ status: 200, body: { contact_id: id, status: 'queued' } });
		expect((await send({ contact_id: id, template: 'tpl_spring_offer' })).status).toBe(200);
		expect(sandbox.store.sentMessages).toMatchObject([
			{ contact_id: id, template: 'welcome', variables: { name: 'Anna' } },
			{ contact_id: id, template: 'spring_offer', variables: {} },
		]);
	});

	it('names the missing field of a send', async () => {
		const { id } = addContact(sandbox);
		expect((await send({})).body.detail).toContain("'contact_id'");
		expect((await send({ contact_id: id })).body.detail).toContain("'template'");
		expect((await send({ contact_id: id, template: 'welcome', to: 'x' })).status).toBe(422);
	});

	it('refuses sends for each stated reason', async () => {
		const { id } = addContact(sandbox);
		const body = { contact_id: id, template: 'welcome' };
		const { rules } = sandbox.store;
		expect((await send({ ...body, contact_id: 'x' })).status).toBe(404);
		expect((await send({ ...body, template: 'x' })).status).toBe(404);
		rules.platformRejects.set('welcome', '(#131026) undeliverable');
		expect(await send(body)).toMatchObject({
			status: 502,
			body: { detail: '(#131026) undeliverable' },
		});
		rules.platformRejects.clear();
		rules.monthlySendLimit = 1;
		expect((await send(body)).status).toBe(200);
		expect((await send(body)).status).toBe(402);
		rules.accountActive = false;
		expect((await send(body)).body.detail).toBe('subscription inactive');
		sandbox.emit.optOut(id);
		expect((await send(body)).status).toBe(409);
		expect(sandbox.store.sentMessages).toHaveLength(1);
	});

	it('enrols a contact once and refuses the rest', async () => {
		const { id } = addContact(sandbox);
		const body = { contact_id: id };
		expect((await enroll('aut_vip_care', {})).body.detail).toContain("'contact_id'");
		expect((await enroll('aut_vip_care', body)).status).toBe(200);
		expect((await enroll('aut_vip_care', body)).body.detail).toContain('already enrolled');
		expect((await enroll('aut_old_newsletter', body)).body.detail).toContain('inactive');
		expect((await enroll('nothing', body)).status).toBe(404);
		expect((await enroll('aut_win_back', { contact_id: 'x' })).status).toBe(404);
		sandbox.emit.optOut(id);
		expect(await enroll('aut_win_back', body)).toMatchObject({
			status: 409,
			body: { detail: 'contact has opted out' },
		});
		expect(sandbox.store.enrolments).toMatchObject([
			{ automation_id: 'aut_vip_care', contact_id: id },
		]);
	});

	it('computes segments live and in pages', async () => {
		const path = '/v1/segments/seg_vip/contacts';
		const vips = ['+4915123456789', '+4915123456780', '+34612345678'].map((phone) =>
			addContact(sandbox, { phone, tags: ['vip'] }),
		);
		addContact(sandbox, { phone: '+34655555555' });
		expect((await call(sandbox, 'GET', `${path}?limit=2&offset=2`)).body).toMatchObject({
			total: 3,
			limit: 2,
			offset: 2,
			data: [{}],
		});
		await call(sandbox, 'DELETE', `/v1/contacts/${vips[0].id}/tags/vip`);
		expect((await call(sandbox, 'GET', path)).body).toMatchObject({ total: 2, limit: 50 });
		expect((await call(sandbox, 'GET', `${path}?limit=101`)).status).toBe(422);
		expect((await call(sandbox, 'GET', '/v1/segments/x/contacts')).status).toBe(404);
	});
});
