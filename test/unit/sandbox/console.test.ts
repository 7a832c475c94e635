import * as fc from 'fast-check';
import { startSandbox, type Sandbox } from '../../sandbox';
import { rateHistory } from '../../sandbox/console/rate-history';
import { readLines } from '../../sandbox/console/page/lines';
import { addContact, call, startReceiver, stoppedClock } from './harness';
import { openLive, type Live } from './live';

const publicUrl = 'https://n8n.example.com';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ limiter: { kind: 'sliding', limit: 2 } });
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.close());

const withoutKey = async (method: string, path: string, body?: unknown) =>
	await call({ url: sandbox.url, apiKey: 'none' }, method, path, body);

/** Watches `watched` for as long as `act` takes. */
async function watching(
	act: (live: Live) => Promise<void>,
	query?: string,
	watched = sandbox,
): Promise<void> {
	const live = await openLive(watched, query);
	try {
		await act(live);
	} finally {
		await live.close();
	}
}

describe('the page of the console', () => {
	it('comes with all that it needs, without a key, a limit or a record', async () => {
		const page = await withoutKey('GET', '/');
		expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
		const parts = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path);
		expect(parts).toHaveLength(3);
		const types = ['image/svg+xml', 'text/css', 'text/javascript'];
		for (const [index, path] of parts.entries()) {
			const part = await withoutKey('GET', path);
			expect(part.status).toBe(200);
			expect(part.headers.get('content-type')).toBe(`${types[index]}; charset=utf-8`);
			expect(part.text.length).toBeGreaterThan(100);
		}
		expect(sandbox.requests).toEqual([]);
	});

	it('lets a browser run and load nothing but its own files', async () => {
		const { headers, text } = await withoutKey('GET', '/');
		const policy = headers.get('content-security-policy');
		expect(policy).toContain("default-src 'none'");
		expect(policy).toContain("script-src 'self'");
		expect(policy).not.toContain('unsafe');
		expect(text).not.toMatch(/<script(?! type="module" src)/);
		expect(headers.get('access-control-allow-origin')).toBeNull();
	});

	it('holds nothing that came from somebody', async () => {
		const before = (await withoutKey('GET', '/')).text;
		addContact(sandbox, { name: '<img src=x onerror=alert(1)>' });
		expect((await withoutKey('GET', '/')).text).toBe(before);
	});
});

describe('the live state', () => {
	it('begins with everything, and goes on with what is new', async () => {
		await watching(async (live) => {
			const first = await live.until(() => true);
			expect(first).toMatchObject({
				service: { apiKey: sandbox.apiKey, contacts: 0 },
				contacts: { rows: [], total: 0, offset: 0 },
				tags: [],
				subscriptions: [],
				deliveries: [],
				requests: [],
				failures: [],
				rate: { limit: 2 },
			});
			await withoutKey('POST', '/sandbox/inbound-message', { phone: '+34612345678', text: 'Hi' });
			await withoutKey('POST', '/sandbox/fail', { kind: { status: 503 }, match: { path: '/v1/' } });
			sandbox.store.addTag('vip');
			const then = await live.until(({ tags }) => tags?.length === 1);
			expect(then).toMatchObject({
				contacts: { rows: [{ phone: '+34612345678', name: null }], total: 1 },
				tags: [{ name: 'vip', contacts: 0 }],
				failures: [{ which: 'with /v1/', what: '503', times: 1 }],
			});
			expect(live.text().match(/^event: subscriptions$/gm)).toHaveLength(1);
		});
	});

	it('tells of each request how it ended and how long it took', async () => {
		await call(sandbox, 'POST', '/v1/contacts?x=a%26b', { phone: '12' });
		sandbox.fail({ kind: { drop: 'beforeEffect' } });
		await call(sandbox, 'GET', '/v1/tags').catch(() => 'cut off');
		await call(sandbox, 'GET', '/v1/tags');
		await withoutKey('GET', '/v1/tags');
		await watching(async (live) => {
			const { requests, rate } = await live.until(({ requests }) => requests?.length === 4);
			expect(requests).toMatchObject([
				{ number: 4, status: 401, isOverRate: false },
				{ number: 3, status: 429, isOverRate: true },
				{ number: 2, method: 'GET', path: '/v1/tags', status: 0, isOverRate: false },
				{ number: 1, path: '/v1/contacts?x=a%26b', body: '{"phone":"12"}', status: 422 },
			]);
			expect(requests.every(({ tookMs = -1 }) => tookMs >= 0)).toBe(true);
			expect([rate.used.at(-1), rate.refused.at(-1)]).toEqual([2, 1]);
		});
	});

	it('tells of each delivery the attempts and their answers', async () => {
		const receiver = await startReceiver((index) => (index === 0 ? 503 : 200));
		const delivering = await startSandbox({
			publicHosts: { [publicUrl]: receiver.origin },
			deliveryRetryMinutes: [0],
		});
		const events = ['message.received'];
		await call(delivering, 'POST', '/v1/subscriptions', { url: `${publicUrl}/hook`, events });
		delivering.emit.inboundMessage({ phone: '+34612345678' }, 'Hi');
		await delivering.settled({ includeRetries: true });
		await watching(
			async (live) => {
				const { deliveries } = await live.until(() => true);
				expect(deliveries).toMatchObject([
					{
						event: 'message.received',
						url: `${publicUrl}/hook`,
						state: 'delivered',
						attempts: [{ status: 503 }, { status: 200 }],
					},
				]);
			},
			'',
			delivering,
		);
		await delivering.close();
		await receiver.close();
	});

	it('has no signing secret, no signature and no header of a request', async () => {
		const url = `${publicUrl}/hook`;
		const events = ['contact.created'];
		const made = await call<{ secret: string }>(sandbox, 'POST', '/v1/subscriptions', {
			url,
			events,
		});
		sandbox.emit.inboundMessage({ phone: '+34612345678' }, 'Hi');
		await sandbox.settled();
		await watching(async (live) => {
			await live.until(({ deliveries }) => deliveries?.length === 1);
			expect(live.text()).toContain(url);
			expect(made.body.secret).toHaveLength(64);
			expect(live.text()).not.toContain(made.body.secret);
			expect(live.text()).not.toContain('secret');
			expect(live.text()).not.toContain(sandbox.deliveries[0].headers['x-service-signature']);
			expect(live.text()).not.toContain('authorization');
		});
	});

	it('gives the newest contacts first, a page at a time, and the last page at most', async () => {
		for (let index = 0; index < 5; index += 1) {
			addContact(sandbox, {
				phone: `+491512345670${index}`,
				name: `Contact ${index}`,
				tags: index === 2 ? ['vip'] : [],
				created_at: `2026-01-0${index + 1}T00:00:00Z`,
			});
		}
		const namesOf = async (query: string) => {
			let found: unknown;
			await watching(async (live) => {
				const { contacts } = await live.until(() => true);
				found = [contacts.rows.map(({ name }) => name?.at(-1)).join(''), contacts.total];
			}, query);
			return found;
		};
		expect(await namesOf('limit=2')).toEqual(['43', 5]);
		expect(await namesOf('limit=2&offset=4')).toEqual(['0', 5]);
		expect(await namesOf('limit=2&offset=80')).toEqual(['0', 5]);
		expect(await namesOf('limit=2&tag=vip')).toEqual(['2', 1]);
		expect(await namesOf('limit=2&search=nobody')).toEqual(['', 0]);
		expect((await withoutKey('GET', '/console/live?limit=0')).status).toBe(422);
	});

	it('carries any name as it is', async () => {
		const line = fc.constantFrom(
			'\n\nevent: service\ndata: {}\n\n',
			'\r',
			'\u2028',
			'<!--',
			'</script>',
		);
		const name = fc
			.array(fc.oneof(fc.string({ unit: 'grapheme' }), line))
			.map((all) => all.join(''));
		await fc.assert(
			fc.asyncProperty(name, async (given) => {
				sandbox.reset();
				addContact(sandbox, { name: given });
				await watching(async (live) => {
					const { contacts, service } = await live.until(() => true);
					expect(contacts.rows[0].name).toBe(given);
					expect(service.contacts).toBe(1);
				});
			}),
			{ numRuns: 30 },
		);
	});

	it('ends with the sandbox, at once', async () => {
		const short = await startSandbox();
		const live = await openLive(short);
		await live.until(() => true);
		await short.close();
		await live.ended();
	});
});

describe('what only the console can do', () => {
	it('saves contacts as the API does, beside its limit', async () => {
		const contact = { phone: '+34612345678', name: 'Ana', tags: ['vip'], opt_in: true };
		for (let times = 0; times < 3; times += 1) {
			expect((await withoutKey('POST', '/console/contacts', contact)).status).toBe(200);
		}
		expect([...sandbox.store.contacts.values()]).toMatchObject([
			{ name: 'Ana', tags: ['vip'], opt_in_status: 'confirmed' },
		]);
		expect(await withoutKey('POST', '/console/contacts', { phone: '12' })).toMatchObject({
			status: 422,
			body: { detail: "phone '12' is not a valid phone number" },
		});
		expect(sandbox.requests).toEqual([]);
	});

	it('calls off the failures that wait', async () => {
		sandbox.fail({ kind: { status: 500 }, times: 9 });
		expect((await withoutKey('DELETE', '/console/failures', {})).status).toBe(204);
		expect((await call(sandbox, 'GET', '/v1/tags')).status).toBe(200);
	});
});

test('the history of the rate is, for each second, what came in the minute that ends with it', () => {
	const nowSecond = 2_000_000;
	const request = fc.record({
		ago: fc.integer({ min: 0, max: 500 }),
		rate: fc.constantFrom('counted' as const, 'refused' as const, undefined),
	});
	fc.assert(
		fc.property(fc.array(request, { maxLength: 200 }), (made) => {
			const requests = made
				.map(({ ago, rate }) => ({
					method: 'GET',
					path: '/v1/tags',
					query: {},
					headers: {},
					body: undefined,
					status: 200,
					atMs: (nowSecond - ago) * 1000 + 500,
					rate,
				}))
				.sort((one, other) => one.atMs - other.atMs);
			const history = rateHistory(requests, nowSecond * 1000 + 900);
			const inMinuteTo = (second: number, wanted: string) =>
				made.filter(({ ago, rate }) => {
					const at = nowSecond - ago;
					return rate === wanted && at <= second && at > second - 60;
				}).length;
			const seconds = history.used.map((_, index) => nowSecond - 299 + index);
			expect(history.toSecond).toBe(nowSecond);
			expect(history.used).toEqual(seconds.map((second) => inMinuteTo(second, 'counted')));
			expect(history.refused).toEqual(seconds.map((second) => inMinuteTo(second, 'refused')));
		}),
	);
});

test('time of the clock, not of the machine, makes the history', async () => {
	const clock = stoppedClock();
	const stopped = await startSandbox({ clock });
	await call(stopped, 'GET', '/v1/tags');
	clock.advance(59_000);
	await watching(
		async (live) => {
			expect((await live.until(() => true)).rate.used.at(-1)).toBe(1);
			clock.advance(2_000);
			await live.until(({ rate }) => rate?.used.at(-1) === 0);
		},
		'',
		stopped,
	);
	await stopped.close();
});

test('lines are read as names and values', () => {
	expect(readLines(' day : Tuesday\n\nat: 10:30\nno colon\n: no name\nempty:')).toEqual({
		day: 'Tuesday',
		at: '10:30',
		empty: '',
	});
});
