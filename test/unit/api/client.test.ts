import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import {
	createApi,
	type Api,
	type ApiRequest,
	type ListRequest,
} from '../../../nodes/WorkspaceCrm/api/client';
import { CrmError } from '../../../nodes/WorkspaceCrm/api/crmError';
import { createRuntime } from '../../../nodes/WorkspaceCrm/api/runtime';
import type { ItemRequests } from '../../../nodes/WorkspaceCrm/api/transport';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/problem';
import { EDITOR_MAX_WAIT_MS } from '../../../nodes/WorkspaceCrm/editor/choices';
import { VirtualClock } from '../../support/virtualClock';
import { failures, inTurn, json, SimulatedService, type Reply } from './simulatedService';

const GET: ApiRequest = { method: 'GET', path: '/v1/workspace' };
const POST: ApiRequest = { method: 'POST', path: '/v1/contacts', body: {} };
const ALL: ListRequest = { path: '/v1/contacts', isPaged: true, maxRecords: Infinity };

type Settings = ConstructorParameters<typeof SimulatedService>[2];

async function start(reply: Reply, settings?: Settings) {
	const clock = new VirtualClock();
	const service = new SimulatedService(clock, reply, settings);
	return {
		clock,
		service,
		api: await createApi(service.context, { effect: 'once', runtime: createRuntime(clock) }),
	};
}

async function failureOf(calling: Promise<unknown>): Promise<CrmError> {
	const error = await calling.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	if (error instanceof CrmError) return error;
	throw new Error(`It should have failed, and gave ${String(error)}`);
}

const records = (count: number): IDataObject[] =>
	Array.from({ length: count }, (_, index) => ({ id: `${index}` }));

interface ListSettings {
	/** What it counts; by default, as many as there are. */
	total?: number;
	/** Whether it takes limit and offset, as it tells or not. */
	isPaged?: boolean;
	/** How many it gives at a time. */
	maxRows?: number;
}

/** A service that has a list. */
function listOf(rows: unknown[], settings: ListSettings = {}): Reply {
	const { total = rows.length, isPaged = true, maxRows = 100 } = settings;
	return ({ options }) => {
		const { searchParams } = new URL(options.url);
		const offset = Number(searchParams.get('offset') ?? 0);
		const limit = Number(searchParams.get('limit') ?? 50);
		const data = isPaged ? rows.slice(offset, offset + Math.min(limit, maxRows)) : rows;
		return json({ data, total });
	};
}

describe('a request whose answer is lost', () => {
	const effects = ['read', 'idempotent', 'once'] as const;
	const methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const;
	const cases = effects.flatMap((effect) => methods.map((method) => [effect, method] as const));

	async function triesOf(effect: (typeof effects)[number], request: ApiRequest): Promise<number> {
		const clock = new VirtualClock();
		const service = new SimulatedService(clock, inTurn(failures.broken(), json({})));
		const api = await createApi(service.context, { effect, runtime: createRuntime(clock) });
		await api.send(request).catch(() => undefined);
		return service.sent.length;
	}

	it.each(cases)('of an operation with the effect %s: %s', async (effect, method) => {
		const isRepeated = effect !== 'once' || method !== 'POST';
		expect(await triesOf(effect, { method, path: '/v1/tags' })).toBe(isRepeated ? 2 : 1);
	});
});

describe('the wait for the rate limit', () => {
	const refused = (seconds: number) => json({}, 429, { 'retry-after': String(seconds) });

	it('of a run is five minutes for what the rate limit refuses', async () => {
		const { api, clock } = await start(inTurn(refused(300), json({})));
		expect(await api.send(GET)).toEqual({});
		expect(clock.elapsedMs()).toBe(300_000);
		const tooMuch = await start(inTurn(refused(301), json({})));
		expect((await failureOf(tooMuch.api.send(GET))).status).toBe(429);
	});

	it('of a run has no end while others use the key', async () => {
		const { api, service, clock } = await start(inTurn(json({})));
		await Promise.all(Array.from({ length: 300 }, async () => await api.send(GET)));
		expect(service.sent).toHaveLength(300);
		// Longer than the editor would wait: the 120 of a minute, some more to see, then two a second.
		expect(clock.elapsedMs()).toBe(26_500);
	});

	it('of the editor is ten seconds, for both', async () => {
		const editorOf = async (reply: Reply) => {
			const clock = new VirtualClock();
			const service = new SimulatedService(clock, reply);
			return await createApi(service.context, {
				effect: 'once',
				runtime: createRuntime(clock),
				maxWaitMs: EDITOR_MAX_WAIT_MS,
			});
		};
		const waiting = await editorOf(inTurn(refused(10), json({})));
		expect(await waiting.send(GET)).toEqual({});
		const refusing = await editorOf(inTurn(refused(11), json({})));
		expect((await failureOf(refusing.send(GET))).retryAfterMs).toBe(11_000);
		const busy = await editorOf(inTurn(json({})));
		const sent = await Promise.allSettled(
			Array.from({ length: 300 }, async () => await busy.send(GET)),
		);
		const rejected = sent.filter((each) => each.status === 'rejected');
		expect(rejected).toHaveLength(300 - 267);
		for (const { reason } of rejected) expect(reason).toMatchObject({ status: undefined });
		expect(busy.usage.waitedMs).toBe(10_000);
	});

	it('ends with the signal of who asks', async () => {
		const clock = new VirtualClock();
		const service = new SimulatedService(clock, inTurn(json({})));
		const signal = AbortSignal.abort(new Error('stopped'));
		const api = await createApi(service.context, {
			effect: 'once',
			runtime: createRuntime(clock),
			maxWaitMs: EDITOR_MAX_WAIT_MS,
			signal,
		});
		await expect(api.send(GET)).rejects.toThrow('stopped');
		expect(service.sent).toHaveLength(0);
	});
});

test('a base URL that cannot be used is refused before any request', async () => {
	const starting = start(inTurn(json({})), { credential: { baseUrl: '' } });
	await expect(starting).rejects.toThrow(InputProblem);
});

test('what a run costs is told of all its items together', async () => {
	const { api } = await start(inTurn(json({}, 500), json({})));
	expect(api.usage).toEqual({ requests: 0, waitedMs: 0 });
	await api.send(GET);
	await api.forItem(itemOf()).send(GET);
	expect(api.usage).toEqual({ requests: 3, waitedMs: 500 });
	expect(api.forItem(itemOf()).usage).toEqual(api.usage);
});

describe('a request for a record', () => {
	it('gives the object of the answer', async () => {
		const { api, service } = await start(inTurn(json({ id: '1', tags: [] })));
		expect(await api.sendForRecord(POST)).toEqual({ id: '1', tags: [] });
		expect(service.sent[0].options).toMatchObject({ method: 'POST', body: '{}' });
	});

	it.each(['[]', 'null', '"text"', '5', 'true', ''])(
		'fails where the answer is something else: %j',
		async (body) => {
			const { api } = await start(inTurn({ statusCode: 200, body }));
			const read = await failureOf(api.sendForRecord(GET));
			expect(read.message).toBe('The service answered without a record');
			expect(read.description).toBe('GET /v1/workspace should give an object. Run it again.');
			expect(read.mayHaveHappened).toBe(false);

			const written = await failureOf(api.sendForRecord(POST));
			expect(written.description).toBe(
				'POST /v1/contacts should give an object. The request may have taken effect: check in the app before you run the node again.',
			);
			expect(written.mayHaveHappened).toBe(true);
		},
	);
});

describe('a list', () => {
	it('that takes limit and offset is read by pages of 100', async () => {
		const { api, service } = await start(listOf(records(250)));
		expect(await api.list({ ...ALL, query: { tag: 'vip' } })).toEqual(records(250));
		expect(service.urls).toEqual(
			[
				[100, 0],
				[100, 100],
				[50, 200],
			].map(([limit, offset]) => `/v1/contacts?tag=vip&limit=${limit}&offset=${offset}`),
		);
		for (const { options } of service.sent) expect(options.method).toBe('GET');
	});

	it('is read no further than is wanted', async () => {
		const { api, service } = await start(listOf(records(250)));
		expect(await api.list({ ...ALL, maxRecords: 7 })).toEqual(records(7));
		expect(service.urls).toEqual(['/v1/contacts?limit=7&offset=0']);
		expect(service.hints).toEqual([]);
	});

	it('that is not said to take limit and offset is asked for as a whole', async () => {
		const request = { path: '/v1/tags', isPaged: false, maxRecords: Infinity };
		const { api, service } = await start(listOf(records(250), { isPaged: false }));
		expect(await api.list({ ...request, query: { kind: 'all' } })).toEqual(records(250));
		expect(service.urls).toEqual(['/v1/tags?kind=all']);
		const { api: bare, service: without } = await start(inTurn(json(records(250))));
		expect(await bare.list(request)).toEqual(records(250));
		expect(without.urls).toEqual(['/v1/tags']);
	});

	it('that turns out to take them is read to its end', async () => {
		const { api, service } = await start(listOf(records(120)));
		expect(await api.list({ path: '/v1/tags', isPaged: false, maxRecords: Infinity })).toEqual(
			records(120),
		);
		expect(service.urls).toEqual([
			'/v1/tags',
			'/v1/tags?limit=50&offset=50',
			'/v1/tags?limit=20&offset=100',
		]);
	});

	it('is read again when it fails, as anything that changes nothing', async () => {
		const { api, service } = await start(inTurn(json({}, 500), json([])));
		expect(await api.list(ALL)).toEqual([]);
		expect(service.sent).toHaveLength(2);
	});

	it('gives records where it holds bare texts, under the name that they have there', async () => {
		const { api } = await start(inTurn(json(['vip', 'new'])));
		const request = { path: '/v1/tags', isPaged: false, maxRecords: Infinity };
		expect(await api.list(request)).toEqual([{ name: 'vip' }, { name: 'new' }]);
		expect(await api.list({ ...request, textsAre: 'id' })).toEqual([{ id: 'vip' }, { id: 'new' }]);
	});

	it('hands over each record in order', async () => {
		const { api } = await start(listOf(records(2_345)));
		const visited: IDataObject[] = [];
		expect(await api.visit(ALL, (record) => visited.push(record))).toBeUndefined();
		expect(visited).toEqual(records(2_345));
	});

	it('is not there in an answer without one', async () => {
		const { api } = await start(inTurn(json({ items: [], others: [] })));
		const error = await failureOf(api.list(ALL));
		expect(error.message).toBe('The service answered without a list');
		expect(error.description).toBe(
			'GET /v1/contacts should give a list of at most 100 records at a time. Check the base URL in the credential.',
		);
	});
});

describe('a list of which the service says that there is more', () => {
	const WHOLE = { ...ALL, isPaged: false };

	it('is read on by offset, where the service has it so', async () => {
		const pages = [
			{ data: [{ id: 1 }, { id: 2 }], has_more: true },
			{ data: [{ id: 3 }], has_more: false },
		];
		const { api, service } = await start(inTurn(...pages.map((page) => json(page))));
		expect(await api.list(WHOLE)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
		expect(service.sent[1].options.url).toContain('offset=2');
	});

	it('is incomplete where it gives the same again', async () => {
		const same = async () => json({ data: [{ id: 1 }], next: 'https://x/?page=2' });
		const { api } = await start(same);
		expect((await failureOf(api.list(WHOLE))).message).toBe(
			'The list is incomplete: the service says that there are more records than the 1 it gave',
		);
		const { api: limited, service } = await start(same);
		expect(await limited.list({ ...WHOLE, maxRecords: 50 })).toEqual([{ id: 1 }]);
		expect(service.hints).toMatchObject([
			{ message: 'The service says that there are more records than the 1 it gave.' },
		]);
	});
});

describe('a list of which the service gives less than it counts', () => {
	const part = listOf(records(3), { total: 5 });

	it('is an error where all is wanted', async () => {
		const { api, service } = await start(part);
		const error = await failureOf(api.list(ALL));
		expect(error.message).toBe(
			'The list is incomplete: the service counts 5 records, but gave only 3',
		);
		expect(error.description).toBe('Run it again.');
		const ifIncomplete = 'Nothing was deleted.';
		expect((await failureOf(api.list({ ...ALL, ifIncomplete }))).description).toBe(ifIncomplete);
		expect(service.hints).toEqual([]);
	});

	it('is a hint where some are wanted', async () => {
		const { api, service } = await start(part);
		expect(await api.list({ ...ALL, maxRecords: 4 })).toEqual(records(3));
		expect(service.hints).toEqual([
			{ message: 'The service counts 5 records, but gave only 3.', type: 'warning' },
		]);
	});

	it('is neither where as many came as are wanted', async () => {
		const { api, service } = await start(part);
		expect(await api.list({ ...ALL, maxRecords: 3 })).toEqual(records(3));
		expect(await api.list({ ...ALL, maxRecords: 2 })).toEqual(records(2));
		expect(service.hints).toEqual([]);
	});

	it('is no failure where n8n shows no hints', async () => {
		const clock = new VirtualClock();
		const { context } = new SimulatedService(clock, part);
		delete (context as { addExecutionHints?: unknown }).addExecutionHints;
		const api = await createApi(context, { effect: 'once', runtime: createRuntime(clock) });
		expect(await api.list({ ...ALL, maxRecords: 4 })).toEqual(records(3));
	});

	it('is an error too where the list is not said to have pages, but tells a total', async () => {
		const { api } = await start(listOf(records(3), { total: 5, isPaged: false }));
		const request = { path: '/v1/tags', isPaged: false, maxRecords: Infinity };
		expect((await failureOf(api.list(request))).message).toContain('counts 5 records');
	});
});

describe('a list that is too long', () => {
	const growing: Reply = (_sent, index) => {
		const data = records(5_000).map(({ id }) => ({ id: `${index} ${String(id)}` }));
		return json({ data, total: (index + 2) * 5_000 });
	};

	it('is an error, with what to do', async () => {
		const { api } = await start(growing);
		const error = await failureOf(api.list(ALL));
		expect(error.message).toBe('The list is too long: it has more than 120000 records');
		expect(error.description).toBe('Run it again.');
	});

	it('is one that has more than who asks for it says', async () => {
		const { api, service } = await start(growing);
		const ifIncomplete = 'Choose another way.';
		const error = await failureOf(api.list({ ...ALL, maxTotal: 9_999, ifIncomplete }));
		expect(error.message).toBe('The list is too long: it has more than 9999 records');
		expect(error.description).toBe(ifIncomplete);
		expect(service.sent).toHaveLength(1);
	});
});

describe('a page of contacts', () => {
	async function pageOf(api: Api, ...request: Parameters<Api['contactsPage']>) {
		const { contacts, total } = await api.contactsPage(...request);
		return { records: contacts.map(({ record }) => record), total };
	}

	it('is of the largest size, from where it is wanted', async () => {
		const { api, service } = await start(listOf([...records(120), 'text']));
		expect(await pageOf(api, 0)).toEqual({ records: records(100), total: 121 });
		expect(await pageOf(api, 100, { phone: '+49' })).toEqual({
			records: [...records(120).slice(100), { name: 'text' }],
			total: 121,
		});
		expect(service.urls).toEqual([
			'/v1/contacts?limit=100&offset=0',
			'/v1/contacts?phone=%2B49&limit=100&offset=100',
		]);
	});

	it('has no total where the service tells none', async () => {
		const { api } = await start(inTurn(json([])));
		expect(await pageOf(api, 0)).toEqual({ records: [], total: undefined });
	});
});

function itemOf(fail?: (error: unknown) => never): ItemRequests {
	const rethrow = (error: unknown): never => {
		throw error;
	};
	return { changes: new Set(), fail: fail ?? rethrow };
}

describe('what is asked for an input item', () => {
	it('is sent for the item, whatever is asked', async () => {
		const { api } = await start(inTurn(json({ id: '1', data: [] })));
		const item = itemOf();
		await api.forItem(item).sendForRecord(POST);
		await api.forItem(item).send({ ...POST, path: '/v1/messages' });
		await api.forItem(item).list(ALL);
		await api.forItem(item).contactsPage(0);
		expect([...item.changes]).toEqual(['/v1/contacts', '/v1/messages']);
	});

	it('fails as the item decides, which hears of it first', async () => {
		const { api } = await start(inTurn(json({}, 422)));
		const heard: unknown[] = [];
		const item = itemOf((error) => {
			heard.push(error);
			throw new Error('in other words');
		});
		const crm = api.forItem(item);
		const asked = [
			async () => await crm.send(GET),
			async () => await crm.sendForRecord(POST),
			async () => await crm.list(ALL),
			async () => await crm.visit(ALL, () => {}),
			async () => await crm.contactsPage(0),
		];
		for (const ask of asked) await expect(ask()).rejects.toThrow('in other words');
		expect(heard).toHaveLength(asked.length);
		for (const error of heard) expect(error).toMatchObject({ status: 422 });
	});

	it('shows its hints as those of the run', async () => {
		const { api, service } = await start(listOf(records(3), { total: 5 }));
		await api.forItem(itemOf()).list({ ...ALL, maxRecords: 4 });
		expect(service.hints).toHaveLength(1);
	});
});

test('a list is whole, or it is an error, however few records the service gives at a time', async () => {
	const list = fc.record({
		count: fc.nat(400),
		missing: fc.nat(5),
		isPaged: fc.boolean(),
		maxRows: fc.integer({ min: 20, max: 100 }),
	});
	await fc.assert(
		fc.asyncProperty(list, async ({ count, missing, isPaged, maxRows }) => {
			const total = count + missing;
			const { api, service } = await start(listOf(records(count), { total, maxRows }));
			const listing = api.list({ path: '/v1/tags', isPaged, maxRecords: Infinity });
			if (missing > 0) expect((await failureOf(listing)).message).toContain(`counts ${total} `);
			else expect(await listing).toEqual(records(count));
			expect(service.hints).toEqual([]);
		}),
		{ numRuns: 30 },
	);
});
