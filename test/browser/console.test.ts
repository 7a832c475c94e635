import type { Browser, Page } from 'playwright-core';

import { startSandbox, type Sandbox } from '../sandbox';
import { startReceiver, type Receiver } from '../unit/sandbox/harness';
import { launchChromium } from './chromium';

const publicUrl = 'https://n8n.example.com';

let browser: Browser;
let receiver: Receiver;
let sandbox: Sandbox;
let page: Page;
let complaints: string[];

beforeAll(async () => {
	browser = await launchChromium();
	receiver = await startReceiver((index) => (index === 0 ? 503 : 200));
});
afterAll(async () => {
	await browser?.close();
	await receiver?.close();
});
beforeEach(async () => {
	sandbox = await startSandbox({ publicHosts: { [publicUrl]: receiver.origin } });
	const context = await browser.newContext({
		permissions: ['clipboard-read', 'clipboard-write'],
		viewport: { width: 1280, height: 800 },
	});
	page = await context.newPage();
	complaints = [];
	page.on('console', (message) => {
		// The browser itself notes refused requests and lost connections.
		if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
	});
	page.on('pageerror', (error) => complaints.push(error.message));
	page.on('dialog', (dialog) => {
		complaints.push(dialog.message());
		void dialog.dismiss();
	});
	await page.goto(sandbox.url);
});
afterEach(async () => {
	await page.context().close();
	await sandbox.close();
	expect(complaints).toEqual([]);
});

const card = (title: string) => page.getByRole('region', { name: title, exact: true });

const api = async (method: string, path: string, body?: object) =>
	await fetch(sandbox.url + path, {
		method,
		headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
		body: JSON.stringify(body),
	}).catch(() => undefined);

const subscribe = async (...events: string[]) =>
	await api('POST', '/v1/subscriptions', { url: `${publicUrl}/hook`, events });

test('an empty sandbox says what to do, and its key can be copied', async () => {
	await card('Subscriptions')
		.getByText('No subscription yet: publish a workflow with the Workspace CRM Trigger.')
		.waitFor();
	for (const title of ['Contacts', 'Tags', 'Deliveries', 'Requests']) {
		await card(title)
			.getByText(/^(No|Nothing) .+ yet: /)
			.waitFor();
	}
	for (const [label, value] of [
		['Base URL', sandbox.url],
		['API key', sandbox.apiKey],
	]) {
		await page.getByRole('button', { name: `Copy ${label}` }).click();
		await page
			.getByRole('button', { name: `Copy ${label}` })
			.getByText('Copied')
			.waitFor();
		expect(await page.evaluate('navigator.clipboard.readText()')).toBe(value);
	}
});

test('a message, a form and an opt-out are made with the keyboard, and their deliveries show', async () => {
	await subscribe('message.received', 'form.submitted', 'contact.opted_out');
	await card('Subscriptions').getByText('form.submitted').waitFor();
	await page.getByLabel('Phone').first().focus();
	await page.keyboard.press('ControlOrMeta+A');
	await page.keyboard.type('+34612345678');
	await page.keyboard.press('Tab');
	await page.keyboard.press('ControlOrMeta+A');
	await page.keyboard.type('Are you open?');
	await page.keyboard.press('Enter');
	await card('Act as a contact')
		.getByText('Message received. 1 subscription wants message.received now.')
		.waitFor();
	await card('Contacts').getByRole('button', { name: '+34612345678' }).waitFor();
	await sandbox.settled();
	await card('Deliveries').getByText('tried 1 of 5').waitFor();

	await page.keyboard.press('Tab');
	await page.keyboard.press('Tab');
	await page.keyboard.press('Tab');
	await page.keyboard.press('Enter');
	await page.getByLabel('Answers').fill('day: Monday');
	await page.getByRole('button', { name: 'Submit form' }).press('Enter');
	await page.getByText('Form submitted.').waitFor();
	await page.getByRole('button', { name: 'Opt out' }).press('Space');
	await page.getByText('Opted out.').waitFor();
	await card('Contacts').locator('tbody').getByText('opted_out').waitFor();
	await sandbox.settled();
	expect(
		sandbox.deliveries.map(({ body }) => (JSON.parse(body) as { data: object }).data),
	).toMatchObject([
		{ message: { text: 'Are you open?' } },
		{ flow_id: 'appointment_request', answers: { day: 'Monday' } },
		{ contact: { phone: '+34612345678', opt_in_status: 'opted_out' } },
	]);

	const first = card('Deliveries').locator('details', { hasText: 'message.received' });
	await first.locator('summary').press('Enter');
	await first.locator('.attempts').getByText('503').waitFor();
	await card('Deliveries').getByText('delivered').nth(1).waitFor();
	await page.getByLabel('Phone').first().fill('+34699999999');
	await page.getByRole('button', { name: 'Opt out' }).click();
	await card('Act as a contact').getByText('contact not found').waitFor();
});

test('what was sent is shown with its text, in a list and on the contact', async () => {
	const { id } = sandbox.store.addContact({ phone: '+4915112345678', name: 'Anna Schmidt' });
	const message = {
		contact_id: id,
		template: 'order_shipped',
		variables: { '1': 'Anna', '2': '7' },
	};
	await card('Sent messages').getByText('No message sent yet').waitFor();
	await api('POST', '/v1/messages/template', message);
	await card('Sent messages').getByText('Hi Anna, your order 7 is on its way.').waitFor();
	await card('Contacts').getByRole('button', { name: 'Anna Schmidt' }).click();
	await card('Contacts').getByText('Hi Anna, your order 7 is on its way.').waitFor();
});

test('the Tab key gets round in 30 stops, and arrows lead through the lines', async () => {
	for (let index = 0; index < 30; index += 1) {
		sandbox.store.addContact({ phone: `+49151123456${10 + index}` });
		await api('GET', '/v1/tags');
	}
	await card('Requests').locator('summary').nth(29).waitFor();
	const stops = new Set<string>();
	for (let index = 0; index < 30; index += 1) {
		await page.keyboard.press('Tab');
		const stop = await page.evaluate(
			'(() => { const e = document.activeElement; e.dataset.at ??= String(Math.random()); return e === document.body ? "" : e.dataset.at })()',
		);
		if (stop === '' || stops.has(String(stop))) break;
		stops.add(String(stop));
	}
	expect(stops.size).toBeLessThan(30);
	await page.getByRole('region', { name: 'Requests, newest first' }).focus();
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('Enter');
	await card('Requests').locator('details[open]').getByText('/v1/tags').first().waitFor();
});

test('a subscription has the name of what it starts', async () => {
	const named = await startSandbox({ labelOf: (url) => `Workflow: Greet (${url.length})` });
	await page.goto(named.url);
	await fetch(`${named.url}/v1/subscriptions`, {
		method: 'POST',
		headers: { 'x-api-key': named.apiKey, 'content-type': 'application/json' },
		body: JSON.stringify({ url: 'https://n8n.example.com/webhook/x', events: ['tag.added'] }),
	});
	await card('Subscriptions').getByText('Workflow: Greet (33)').waitFor();
	await named.close();
});

test('a failure is chosen, waits, strikes, and can be called off', async () => {
	const fail = card('Let a request fail');
	await fail.locator('[name=kind]').selectOption('Connection cut before anything is done');
	await fail.getByLabel('Method').selectOption('GET');
	await fail.getByLabel('Path contains').fill('/v1/tags');
	await fail.getByRole('button', { name: 'Let it fail' }).click();
	await fail.getByText('for GET with /v1/tags, 1 time').waitFor();
	expect((await api('POST', '/v1/tags'))?.status).toBe(404);
	await fetch(`${sandbox.url}/v1/tags`, { headers: { 'x-api-key': sandbox.apiKey } }).catch(
		() => undefined,
	);
	await card('Requests').getByText('cut').waitFor();
	await fail.getByText('for GET with').waitFor({ state: 'detached' });

	await fail.locator('[name=kind]').selectOption('500');
	await fail.getByLabel('Method').selectOption('Any');
	await fail.getByLabel('Path contains').fill('');
	await fail.getByLabel('How many times').fill('3');
	await fail.getByRole('button', { name: 'Let it fail' }).click();
	await fail.getByText('for any request, 3 times').waitFor();
	await fail.getByRole('button', { name: 'Call off' }).click();
	await fail.getByText('for any request').waitFor({ state: 'detached' });
});

test('every failure on offer strikes as it says', async () => {
	const fail = card('Let a request fail');
	await fail.locator('[name=kind]').waitFor();
	const labels = await fail.locator('[name=kind]').locator('option').allInnerTexts();
	expect(labels.length).toBeGreaterThan(8);
	for (const label of labels.filter((text) => !text.includes('late'))) {
		await fail.locator('[name=kind]').selectOption(label);
		await fail.getByRole('button', { name: 'Let it fail' }).click();
		await fail.getByText('for any request, 1 time').waitFor();
		const answer = await fetch(`${sandbox.url}/v1/workspace`, {
			headers: { 'x-api-key': sandbox.apiKey },
		})
			.then(async (response) => {
				const text = await response.text();
				return response.ok ? text : String(response.status);
			})
			.catch(() => 'cut');
		const expected =
			/^\d+/.exec(label)?.[0] ?? (label.startsWith('Connection') ? 'cut' : /^[^}]+$/);
		expect(answer).toMatch(expected);
		await fail.getByText('for any request').waitFor({ state: 'detached' });
	}
});

test('contacts are created, searched, filtered and paged', async () => {
	for (let index = 10; index < 35; index += 1) {
		sandbox.store.addContact({
			phone: `+4915123456${index}0`,
			name: `Contact ${index}`,
			tags: index % 2 ? ['odd'] : [],
			created_at: `2026-01-${index - 9}T00:00:00Z`.replace(/-(\d)T/, '-0$1T'),
		});
	}
	const contacts = card('Contacts');
	const create = card('Create a contact');
	await contacts.getByText('1–10 of 25').waitFor();
	await contacts.getByRole('button', { name: 'Older' }).click();
	await contacts.getByRole('button', { name: 'Contact 24' }).waitFor();
	await contacts.getByRole('button', { name: 'Older' }).click();
	await contacts.getByText('21–25 of 25').waitFor();
	await contacts.getByLabel('Tag').selectOption('odd');
	await contacts.getByText('1–10 of 12').waitFor();
	await contacts.getByLabel('Search contacts').fill('nobody');
	await contacts.getByText('No contact fits.').waitFor();
	await contacts.getByRole('button', { name: 'Show all' }).click();
	await contacts.getByText('1–10 of 25').waitFor();

	await create.getByLabel('Phone').fill('12');
	await create.getByRole('button', { name: 'Create contact' }).click();
	await create.getByText("phone '12' is not a valid phone number").waitFor();
	await create.getByLabel('Phone').fill('+34 612 345 678');
	await create.getByLabel('Name').fill('Ana Ortega');
	await create.getByLabel('Tags').fill('vip, café');
	await create.getByLabel('Attributes').fill('plan: pro');
	await create.getByLabel('Has given consent').check();
	await create.getByRole('button', { name: 'Create contact' }).click();
	const ana = contacts.getByRole('row', { name: 'Ana Ortega' });
	await ana.getByText('confirmed').waitFor();
	expect(await ana.innerText()).toMatch(/\+34612345678[^]*vip[^]*café[^]*plan: pro/);
	await ana.getByRole('button').press('Enter');
	await contacts.getByRole('button', { name: 'Act as this contact' }).press('Enter');
	expect(await page.getByLabel('Phone').first().inputValue()).toBe('+34612345678');
});

test('the rate limit shows what is used and what is refused', async () => {
	await card('Rate limit').getByText('of 120 used').waitFor();
	for (let requests = 0; requests < 123; requests += 1) await api('GET', '/v1/tags');
	const chart = card('Rate limit').getByRole('img');
	await page
		.getByRole('img', { name: '120 requests of 120 used in the last minute, 3 refused' })
		.waitFor();
	expect(await chart.locator('canvas').count()).toBe(1);
	await card('Requests').getByText('429').nth(2).waitFor();
	await card('Requests').getByText('123 so far').waitFor();
});

test('texts that look like code stay texts', async () => {
	const evil = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;
	await api('POST', '/v1/contacts', {
		phone: '+34612345678',
		name: evil,
		tags: [`${evil}tag`],
		attributes: { [evil]: evil },
	});
	await api('POST', '/v1/subscriptions', {
		url: `${publicUrl}/<img src=x onerror=alert(3)>?${encodeURIComponent(evil)}`,
		events: ['message.received'],
	});
	sandbox.emit.inboundMessage({ phone: '+34612345678' }, evil);
	await api('GET', `/v1/contacts?search=${encodeURIComponent(evil)}`);
	await sandbox.settled();
	await page.reload();

	const row = card('Contacts').getByRole('button', { name: evil });
	await row.click();
	await card('Requests').locator('summary').last().click();
	await card('Deliveries').locator('summary').first().click();
	await card('Contacts').getByLabel('Tag').selectOption(`${evil}tag`);
	await row.waitFor();
	expect(await card('Contacts').locator('pre').innerText()).toContain('onerror');
	expect(await page.locator('img:not([src="/console/icon.svg"])').count()).toBe(0);
	expect(await page.locator('body script').count()).toBe(0);
});

test('it says when the sandbox is gone, and goes on when it is back', async () => {
	await page.getByText('Live', { exact: true }).waitFor();
	const back = sandbox.restart(1_000);
	await page.getByText('Connection lost, trying again').waitFor();
	await back;
	sandbox.store.addTag('after');
	await card('Tags').getByText('after').waitFor();
});

/** In the page: everything that a page may try with a sandbox. Gives what it could read. */
const intrude = `async (sandbox) => {
	const body = '{"phone":"+34612345678","text":"stop"}';
	const requests = [
		['reset', { method: 'POST' }],
		['reset', { method: 'POST', mode: 'no-cors' }],
		['opt-out', { method: 'POST', mode: 'no-cors', body }],
		['opt-out', { method: 'POST', body, headers: { 'content-type': 'application/json' } }],
		['state', {}],
		['state', { mode: 'no-cors' }],
		['../console/failures', { method: 'DELETE' }],
	];
	const texts = [];
	for (const [path, options] of requests) {
		await fetch(sandbox + '/sandbox/' + path, options).then(
			async (response) => texts.push(await response.text()),
			() => undefined,
		);
	}
	const form = Object.assign(document.createElement('form'), {
		method: 'POST',
		action: sandbox + '/sandbox/reset',
		enctype: 'text/plain',
		target: 'frame',
	});
	const frame = Object.assign(document.createElement('iframe'), { name: 'frame' });
	document.body.append(form, frame);
	const answered = new Promise((resolve) => (frame.onload = resolve));
	form.submit();
	await answered;
	return texts.join('');
}`;

test.each([
	['another website', ({ origin }: Receiver) => [origin, sandbox.url]],
	[
		'a name that now points to this machine',
		() => {
			const rebound = sandbox.url.replace('127.0.0.1', 'rebound.localhost');
			return [rebound, rebound];
		},
	],
])('pages of other origins read and change nothing: %s', async (_case, addresses) => {
	await api('POST', '/v1/contacts', { phone: '+34612345678', opt_in: true });
	await subscribe('message.received');
	const [{ secret }] = sandbox.store.subscriptions.values();
	sandbox.fail({ kind: { status: 503 } });

	const website = await startReceiver();
	const [pageUrl, sandboxUrl] = addresses(website);
	await page.goto(pageUrl);
	const read = (await page.evaluate(`(${intrude})('${sandboxUrl}')`)) as string;
	expect(read).not.toContain(secret);
	expect(read).not.toContain('+34612345678');
	expect([...sandbox.store.contacts.values()]).toMatchObject([{ opt_in_status: 'confirmed' }]);
	expect((await api('GET', '/v1/tags'))?.status).toBe(503);
	await website.close();
	// the browser says what it has blocked
	complaints = [];
});

test.each(['light', 'dark'] as const)(
	'in the %s scheme, texts can be read',
	async (colorScheme) => {
		sandbox.store.addContact({ phone: '+34612345678', name: 'Ana', tags: ['vip'] });
		await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
		await card('Contacts').getByText('Ana').waitFor();
		const contrast = (await page.evaluate(`(${leastContrast})()`)) as number;
		expect(contrast).toBeGreaterThanOrEqual(4.5);
		const width = (await page.evaluate('document.documentElement.scrollWidth')) as number;
		expect(width).toBeLessThanOrEqual(1280);
	},
);

/** In the page: the least contrast of a text to what it stands on, as WCAG counts it. */
const leastContrast = `() => {
	const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
	const paint = (...colours) => {
		canvas.clearRect(0, 0, 1, 1);
		for (const colour of colours) {
			canvas.fillStyle = colour;
			canvas.fillRect(0, 0, 1, 1);
		}
		return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
	};
	const luminance = (parts) => {
		const [red, green, blue] = parts
			.map((part) => part / 255)
			.map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
		return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
	};
	const contrastOf = (element) => {
		const grounds = [];
		for (let at = element; at; at = at.parentElement) {
			grounds.unshift(getComputedStyle(at).backgroundColor);
		}
		const ground = luminance(paint(...grounds));
		const text = luminance(paint(...grounds, getComputedStyle(element).color));
		return (Math.max(ground, text) + 0.05) / (Math.min(ground, text) + 0.05);
	};
	const isText = (node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== '';
	const shown = [...document.querySelectorAll('body *')]
		.filter((element) => [...element.childNodes].some(isText))
		.filter((element) => element.checkVisibility() && !element.matches(':disabled'));
	return Math.min(...shown.map(contrastOf));
}`;
