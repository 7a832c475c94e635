import type { Browser, Page } from 'playwright-core';

import { startSandbox, type Sandbox } from '../../tools/sandbox';
import { http, once, type net } from '../../tools/support/platform';
import { launchChromium, PATIENCE_MS } from '../../tools/browser/chromium';

const publicUrl = 'https://n8n.example.com';
const phone = '+34612345678';
/** Answers as n8n does when a trigger filters out an event. */
const receiver = http.createServer((_request, response) => {
	response.end('{"message":"Nothing was started: filtered"}');
});

let browser: Browser;
let sandbox: Sandbox;
let page: Page;
let complaints: string[];

beforeAll(async () => {
	browser = await launchChromium();
	await once(receiver.listen(0, '127.0.0.1'), 'listening');
});
afterAll(async () => {
	await browser?.close();
	receiver.close();
});
beforeEach(async () => {
	const { port } = receiver.address() as net.AddressInfo;
	sandbox = await startSandbox({ publicHosts: { [publicUrl]: `http://127.0.0.1:${port}` } });
	page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
	page.setDefaultTimeout(PATIENCE_MS);
	complaints = [];
	page.on('console', (message) => {
		// The browser itself logs refused requests and lost connections.
		if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
	});
	page.on('pageerror', (error) => complaints.push(error.message));
	page.on('dialog', (dialog) => complaints.push(dialog.message()));
	await page.goto(sandbox.url);
});
afterEach(async () => {
	await page.close();
	await sandbox.close();
	expect(complaints).toEqual([]);
});

const row = (list: string, text: string) => page.locator(`#${list} > *`, { hasText: text });
const press = async (name: string) => await page.getByRole('button', { name }).click();
const api = async (method: string, path: string, body?: object) =>
	await fetch(sandbox.url + path, {
		method,
		headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});

test('a contact writes, gets a tag, submits a form and opts out; each delivery shows the answer', async () => {
	const events = ['message.received', 'tag.added', 'form.submitted', 'contact.opted_out'];
	await api('POST', '/v1/subscriptions', { url: `${publicUrl}/hook`, events });
	await row('subscriptions', `${publicUrl}/hook`).waitFor();
	await page.locator('#phone').fill(phone);
	for (const name of ['Send message', 'Add tag', 'Submit form', 'Opt out']) await press(name);
	for (const event of events) {
		const shown = row('deliveries', event).locator('summary').first();
		await shown.getByText('Nothing was started: filtered').waitFor();
		await shown.getByText('delivered 200').waitFor();
	}
	await row('deliveries', 'tag.added').locator('summary').click();
	await press('Send 2 hours late');
	await page.getByRole('heading', { name: 'Deliveries 5', exact: true }).waitFor();
	await row('deliveries', 'tag.added').last().getByRole('button', { name: 'Send again' }).click();
	await row('deliveries', 'tag.added').last().getByText('"attempts"').waitFor();
	const contact = row('contacts', phone).locator('summary');
	await contact.getByText('opted_out').waitFor();
	await contact.getByText('vip').waitFor();
	await page.getByText('Sent contact.opted_out to 1 of 1 subscriptions').waitFor();
	await page.locator('#phone').fill('+34699999999');
	await press('Opt out');
	await page.getByText('contact not found').waitFor();
});

test('every failure in the list happens as described, and can be canceled', async () => {
	const kinds = await page.locator('#kinds option').allInnerTexts();
	expect(kinds.length).toBeGreaterThan(7);
	await page.getByLabel('Method').selectOption('GET');
	await page.getByLabel('Path contains').fill('/v1/work');
	for (const kind of kinds.filter((text) => !text.includes('10 seconds'))) {
		await page.locator('#kinds').selectOption(kind);
		await page.getByLabel('Retry-After (seconds)').fill('7');
		await press('Fail next request');
		await page.getByText(`Pending: 1 × GET /v1/work: ${kind}`).waitFor();
		expect((await api('POST', '/v1/tags')).status).toBe(404);
		const struck = await fetch(`${sandbox.url}/v1/workspace`, {
			headers: { 'x-api-key': sandbox.apiKey },
		}).catch(() => undefined);
		const [status] = /^\d+/.exec(kind) ?? ['dropped'];
		expect(String(struck?.status ?? 'dropped')).toBe(status);
		expect(struck?.headers.get('retry-after') ?? '7').toBe('7');
		await row('requests', '/v1/workspace').first().getByText(status).waitFor();
	}
	await press('Fail next request');
	await page.getByText('The next matching request will fail').waitFor();
	await press('Cancel failures');
	await page.getByText('Pending: ').waitFor({ state: 'hidden' });
	await page.getByRole('button', { name: 'Cancel failures' }).waitFor({ state: 'hidden' });
	expect((await api('GET', '/v1/workspace')).status).toBe(200);
});

test('contacts can be searched; a list says how many there are', async () => {
	for (let index = 100; index < 220; index += 1) {
		sandbox.store.addContact({ phone: `+491512345${index}0`, name: `Contact ${index}` });
	}
	await page.getByText('newest 100 of 120').waitFor();
	const attributes = { at: '10:30' };
	const opt_in_status = 'confirmed';
	sandbox.store.addContact({ phone, name: 'Ana Ortega', attributes, opt_in_status });
	await page.getByLabel('Name or phone').fill('ortega');
	await page.locator('#statuses').selectOption('confirmed');
	await page.getByRole('heading', { name: 'Contacts 1', exact: true }).waitFor();
	await row('contacts', 'Ana Ortega').click();
	await row('contacts', 'Ana Ortega').getByText('"at": "10:30"').waitFor();
	await press('Act as contact');
	expect(await page.locator('#phone').inputValue()).toBe(phone);
});

test('texts that look like code are shown as text', async () => {
	const evil = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;
	const contact = { phone, name: evil, tags: [evil], attributes: { [evil]: evil } };
	const { id } = (await (await api('POST', '/v1/contacts', contact)).json()) as { id: string };
	const url = `${publicUrl}/?${encodeURIComponent(evil)}`;
	await api('POST', '/v1/subscriptions', { url, events: ['message.received'] });
	sandbox.emit.inboundMessage({ phone }, evil);
	const variables = { 1: evil, 2: evil };
	const message = { contact_id: id, template: 'order_shipped', variables };
	await api('POST', '/v1/messages/template', message);
	await row('messages', evil).first().click();
	await row('contacts', evil).first().click();
	await row('requests', '/v1/contacts').last().click();
	await row('deliveries', 'message.received').click();
	expect(await page.locator('img, body script:not([type=module])').count()).toBe(0);
});

test('the page says when the sandbox is gone, and reconnects', async () => {
	await page.getByText('Live', { exact: true }).waitFor();
	const back = sandbox.restart(1_000);
	await page.getByText('Connection lost. Reconnecting…').waitFor();
	await back;
	sandbox.store.addContact({ phone });
	await row('contacts', phone).waitFor();
});
