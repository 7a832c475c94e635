import { http, once } from '../../../support/platform';
import { startSandbox, type Sandbox } from '../../index';

const publicOrigin = 'https://n8n.example.com';

/** Answers deliveries as an n8n does that has a bad moment at the third and the fourth. */
async function startReceiver(): Promise<{ origin: string; close: () => void }> {
	let received = 0;
	const server = http.createServer((_request, response) => {
		received += 1;
		response.writeHead(received === 3 || received === 4 ? 503 : 200).end();
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	const port = typeof address === 'object' ? address?.port : undefined;
	return { origin: `http://127.0.0.1:${port}`, close: () => void server.close() };
}

async function call({ url, apiKey }: Sandbox, method: string, path: string, body?: object) {
	await fetch(url + path, {
		method,
		headers: { 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }) },
		body: body && JSON.stringify(body),
	}).catch(() => 'cut off');
}

/** Not every machine that makes the picture has letters for all names. */
function eraseUnreadable({ store }: Sandbox): void {
	for (const contact of store.contacts.values()) {
		if (!/^[\p{Script=Latin}\s'-]+$/u.test(contact.name ?? '')) store.eraseContact(contact);
	}
}

const pastRequest = {
	method: 'POST',
	path: '/v1/contacts',
	query: {},
	headers: {},
	body: undefined,
	tookMs: 3,
};

/** Two runs in the last five minutes; the second one wanted more than the limit. */
function addPast({ requests }: Sandbox): void {
	const fromMs = Date.now() - 300_000;
	for (let second = 15; second < 245; second += 1) {
		const atMs = fromMs + second * 1000;
		const isWorking = second < 65 || second >= 150;
		const isOver = second >= 210;
		for (let times = 0; isWorking && times < 2; times += 1) {
			requests.push({ ...pastRequest, atMs, status: 200, rate: 'counted' });
		}
		if (isOver) requests.push({ ...pastRequest, atMs, status: 429, rate: 'refused' });
	}
}

/** A sandbox with many contacts on which a workflow works: some requests and deliveries fail. */
export async function startBusySandbox(): Promise<{ sandbox: Sandbox; close(): Promise<void> }> {
	const receiver = await startReceiver();
	const sandbox = await startSandbox({
		contacts: 200,
		publicHosts: { [publicOrigin]: receiver.origin },
	});
	eraseUnreadable(sandbox);
	addPast(sandbox);
	const api = async (method: string, path: string, body?: object) =>
		await call(sandbox, method, path, body);
	await api('POST', '/v1/subscriptions', {
		url: `${publicOrigin}/webhook/0b6f3c3a-5d0e-4a6c-9f3e-6f2d8c1b7a40/webhook`,
		events: ['contact.created', 'message.received', 'form.submitted', 'tag.added'],
	});
	await api('POST', '/v1/subscriptions', {
		url: 'https://reports.example.com/crm-events',
		events: ['contact.opted_out'],
	});
	const phones = [...sandbox.store.contacts.values()].slice(-6).map(({ phone }) => phone);
	await api('GET', '/v1/contacts?limit=100&offset=100&opt_in_status=confirmed');
	for (const phone of phones.slice(0, 4)) {
		sandbox.emit.inboundMessage({ phone }, 'Hello, is my order on its way?');
		await sandbox.settled();
	}
	sandbox.emit.optOut({ phone: phones[4] });
	await api('POST', '/v1/contacts', {
		phone: '+4915112345678',
		name: 'Anneliese Freifrau von Hohenlohe-Langenburg',
		tags: ['vip', 'trade fair 2025', 'newsletter'],
		attributes: { plan: 'pro', city: 'Hamburg', last_order: { number: 48_213, paid: true } },
		opt_in: true,
	});
	await api('POST', '/v1/contacts', { phone: '12' });
	sandbox.fail({ kind: { status: 502, detail: 'Rejected' }, match: { path: /messages/ } });
	const { id } = [...sandbox.store.contacts.values()][0];
	await api('POST', '/v1/messages/template', { contact_id: id, template: 'order_shipped' });
	sandbox.fail({ kind: { drop: 'beforeEffect' }, match: { path: /tags/ } });
	await api('POST', `/v1/contacts/${id}/tags`, { name: 'customer' });
	await api('POST', `/v1/contacts/${id}/tags`, { name: 'customer' });
	await api('GET', `/v1/contacts/${id}`);
	await sandbox.settled();
	sandbox.fail({
		kind: { status: 429 },
		match: { method: 'POST', path: '/v1/contacts' },
		times: 3,
	});
	return {
		sandbox,
		async close() {
			await sandbox.close();
			receiver.close();
		},
	};
}
