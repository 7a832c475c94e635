import type { RecordPage } from '../../../nodes/WorkspaceCrm/api/client';
import { Baseline } from '../../../nodes/WorkspaceCrm/changes/baseline';
import type { Found } from '../../../nodes/WorkspaceCrm/changes/detect';
import { pollOnce, type Source } from '../../../nodes/WorkspaceCrm/changes/pollOnce';
import { watched } from './changedList';

/** A service with a list of contacts, of one page, and with answers about those that are not in it. */
class Service implements Source {
	readonly asked: string[] = [];

	failure: Error | undefined;

	isLate = false;

	/** How many requests may begin. */
	requests = Infinity;

	constructor(
		public ids: string[],
		public missing: Record<string, Found | Error> = {},
	) {}

	fetchPage(): Promise<RecordPage> {
		this.requests -= 1;
		if (this.failure) return Promise.reject(this.failure);
		const records = this.ids.map((id) => ({ id }));
		return Promise.resolve({ records, total: records.length });
	}

	find(id: string): Promise<Found> {
		this.requests -= 1;
		this.asked.push(id);
		const found = this.missing[id];
		return found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
	}

	hasTime(): boolean {
		return this.requests > 0;
	}

	isOver(): boolean {
		return this.isLate;
	}
}

/** A baseline that took stock of these contacts. */
async function baselineOf(...ids: string[]): Promise<Baseline> {
	const baseline = new Baseline('key');
	await pollOnce(baseline, watched, new Service(ids));
	return baseline;
}

const numbered = (count: number) => Array.from({ length: count }, (_, number) => `c${number}`);

test('the first poll takes stock, the next ones tell what changed', async () => {
	const baseline = new Baseline('key');
	const service = new Service(['a']);
	expect(await pollOnce(baseline, watched, service)).toEqual({
		changes: [],
		end: 'complete',
		answers: 1,
		unasked: 0,
		waitsFor: undefined,
	});
	expect(baseline.isTakingStock).toBe(false);
	service.ids = ['a', 'b'];
	const { changes } = await pollOnce(baseline, watched, service);
	expect(changes).toEqual([{ event: 'entered', contact: { id: 'b' } }]);
	expect((await pollOnce(baseline, watched, service)).changes).toEqual([]);
});

test('stock is taken until a reading was complete, or brought nobody new', async () => {
	const baseline = new Baseline('key');
	const service = new Service(['a', 'b']);
	const twice = { records: [{ id: 'a' }, { id: 'a' }], total: 2 };
	jest.spyOn(service, 'fetchPage').mockResolvedValue(twice);
	expect((await pollOnce(baseline, watched, service)).end).toBe('incomplete');
	expect(baseline.isTakingStock).toBe(true);
	expect((await pollOnce(baseline, watched, service)).end).toBe('incomplete');
	expect(baseline.isTakingStock).toBe(false);
});

describe('a contact that is missing', () => {
	test('is asked for at the second poll without it, and removed if it is erased', async () => {
		const baseline = await baselineOf('a', 'b');
		const service = new Service(['a'], { b: 'erased' });
		expect(await pollOnce(baseline, watched, service)).toMatchObject({ changes: [], answers: 1 });
		const second = await pollOnce(baseline, watched, service);
		expect(second).toMatchObject({
			changes: [{ event: 'erased', contact: { id: 'b' } }],
			answers: 2,
			unasked: 0,
		});
		expect([service.asked, [...baseline.entries.keys()]]).toEqual([['b'], ['a']]);
	});

	test('has to be missing twice again if it is still there', async () => {
		const baseline = await baselineOf('a', 'b');
		const service = new Service(['a']);
		for (const asked of [0, 1, 1, 2]) {
			expect((await pollOnce(baseline, watched, service)).changes).toEqual([]);
			expect(service.asked).toHaveLength(asked);
		}
	});

	test('has to be missing twice again if it could not be asked for; the others are asked', async () => {
		const baseline = await baselineOf('a', 'b', 'c');
		const failure = new Error('busy');
		const service = new Service(['a'], { b: failure, c: 'erased' });
		await pollOnce(baseline, watched, service);
		const outcome = await pollOnce(baseline, watched, service);
		expect(outcome).toMatchObject({ end: 'complete', failure, answers: 2, unasked: 0 });
		expect(outcome.changes).toMatchObject([{ event: 'erased', contact: { id: 'c' } }]);
		expect(baseline.entries.get('b')).toMatchObject({ misses: 0, isFound: false });
	});

	test('tells of the first failure', async () => {
		const baseline = await baselineOf('a', 'b', 'c');
		const service = new Service(['a'], { b: new Error('first'), c: new Error('second') });
		await pollOnce(baseline, watched, service);
		expect((await pollOnce(baseline, watched, service)).failure).toEqual(new Error('first'));
	});

	test('is asked for at a later poll where the time is over', async () => {
		const baseline = await baselineOf('a', 'b', 'c');
		const service = new Service(['a'], { b: 'erased', c: 'erased' });
		await pollOnce(baseline, watched, service);
		service.requests = 2;
		expect(await pollOnce(baseline, watched, service)).toMatchObject({
			end: 'complete',
			unasked: 1,
		});
		expect(service.asked).toEqual(['b']);
		service.requests = Infinity;
		await pollOnce(baseline, watched, service);
		expect(service.asked).toEqual(['b', 'c']);
	});

	test('is asked for later where the time was over while it was asked for', async () => {
		const baseline = await baselineOf('a', 'b');
		const service = new Service(['a'], { b: new Error('aborted') });
		await pollOnce(baseline, watched, service);
		service.isLate = true;
		const outcome = await pollOnce(baseline, watched, service);
		expect(outcome).toMatchObject({ end: 'complete', unasked: 1, answers: 1 });
		expect(outcome.failure).toBeUndefined();
		expect(baseline.entries.get('b')!.misses).toBe(2);
	});

	test('waits for three more readings where very many are missing', async () => {
		const ids = numbered(20);
		const baseline = await baselineOf(...ids);
		const missing = Object.fromEntries(ids.map((id) => [id, 'erased' as const]));
		const service = new Service([], missing);
		for (let poll = 1; poll <= 4; poll += 1) {
			expect(await pollOnce(baseline, watched, service)).toMatchObject({
				waitsFor: 20,
				unasked: 0,
			});
		}
		expect(service.asked).toEqual([]);
		const { changes, waitsFor } = await pollOnce(baseline, watched, service);
		expect([changes.length, waitsFor]).toEqual([20, undefined]);
	});

	test('is one of a hundred that are asked for at a poll', async () => {
		const ids = numbered(150);
		const baseline = await baselineOf(...ids);
		for (const entry of baseline.entries.values()) entry.misses = 4;
		const missing = Object.fromEntries(ids.map((id) => [id, 'erased' as const]));
		const outcome = await pollOnce(baseline, watched, new Service([], missing));
		expect([outcome.changes.length, outcome.unasked]).toEqual([100, 50]);
		expect(baseline.entries.size).toBe(50);
	});

	test('is not counted after a reading that was not complete', async () => {
		const baseline = await baselineOf('a', 'b');
		const service = new Service(['a']);
		const short = { records: [{ id: 'a' }, { id: 'a' }], total: 2 };
		jest.spyOn(service, 'fetchPage').mockResolvedValue(short);
		await pollOnce(baseline, watched, service);
		await pollOnce(baseline, watched, service);
		expect(baseline.entries.get('b')!.misses).toBe(0);
		expect(service.asked).toEqual([]);
	});
});

test('a poll that fails says why, and the next one goes on from there', async () => {
	const baseline = await baselineOf('a');
	const service = new Service(['a', 'b']);
	service.failure = new Error('busy');
	expect(await pollOnce(baseline, watched, service)).toEqual({
		changes: [],
		end: 'failed',
		answers: 0,
		failure: service.failure,
	});
	service.failure = undefined;
	expect((await pollOnce(baseline, watched, service)).changes).toHaveLength(1);
});

test('a poll whose time is over is no failure', async () => {
	const baseline = await baselineOf('a');
	const service = new Service(['a']);
	service.requests = 0;
	expect(await pollOnce(baseline, watched, service)).toEqual({
		changes: [],
		end: 'paused',
		answers: 0,
	});
	service.requests = 1;
	service.failure = new Error('aborted');
	service.isLate = true;
	const outcome = await pollOnce(baseline, watched, service);
	expect(outcome).toEqual({ changes: [], end: 'paused', answers: 0 });
});

test('a reading that is paused is not begun anew', async () => {
	const baseline = new Baseline('key');
	const service = new Service(['a']);
	service.fetchPage = async () => {
		service.requests -= 1;
		return await Promise.resolve({ records: [{ id: 'a' }], total: 2 });
	};
	service.requests = 1;
	expect(await pollOnce(baseline, watched, service)).toMatchObject({ end: 'paused' });
	expect(baseline.reading.offset).toBe(1);
});
