import * as fc from 'fast-check';
import type { IDataObject, IExecuteData, IExecuteFunctions, INode } from 'n8n-workflow';

import { CrmError } from '../../../nodes/WorkspaceCrm/api/crmError';
import { once, workOf } from '../../../nodes/WorkspaceCrm/operations/once';

/** What n8n holds for one run of a node; it is the same object for each try of that run. */
function startRun(node = 'CRM'): IExecuteData {
	return { node: { name: node } as INode, data: {}, source: null };
}

/** In each try n8n makes the items anew, but not what is in those of a tool call. */
function contextOf(run: IExecuteData, json: IDataObject = {}) {
	const context: Partial<IExecuteFunctions> = {
		getExecuteData: () => run,
		getNode: () => ({ name: 'CRM' }) as INode,
		getInputData: () => [{ json }],
	};
	return context as IExecuteFunctions;
}

/** A service that numbers what it is asked to do, and ends it as it is told. */
function startService() {
	let count = 0;
	const act = async (
		run: IExecuteData,
		item: number,
		{
			failure,
			changes = true,
			json,
		}: { failure?: Error; changes?: boolean; json?: IDataObject } = {},
	) => {
		const work = workOf(contextOf(run, json))(item);
		return await once(work, async () => {
			count += 1;
			const number = count;
			if (changes) work.changes.add('/path');
			await Promise.resolve();
			if (failure) throw failure;
			return { number };
		});
	};
	return { act, count: () => count };
}

const unclear = new CrmError('Broken', 'Look in the app.', { mayHaveHappened: true });
const definite = new CrmError('Refused', 'Correct it.', { status: 422 });

describe('the work on an item', () => {
	it('is done once, and gives what came of it when the run comes again', async () => {
		const { act, count } = startService();
		const run = startRun();
		for (let tries = 0; tries < 3; tries += 1) expect(await act(run, 0)).toEqual({ number: 1 });
		expect(count()).toBe(1);
	});

	it('is not tried again when it is unclear what came of it', async () => {
		const { act, count } = startService();
		const run = startRun();
		await expect(act(run, 0, { failure: unclear })).rejects.toBe(unclear);
		await expect(act(run, 0)).rejects.toBe(unclear);
		expect(count()).toBe(1);
	});

	it.each([
		definite,
		new Error('unexpected'),
		Object.assign(new Error('unexpected'), { mayHaveHappened: true }),
	])('is tried again when it certainly was not done: %p', async (failure) => {
		const { act } = startService();
		const run = startRun();
		await expect(act(run, 0, { failure })).rejects.toBe(failure);
		expect(await act(run, 0)).toEqual({ number: 2 });
		expect(await act(run, 0)).toEqual({ number: 2 });
	});

	it('is done anew where it changes nothing', async () => {
		const { act } = startService();
		const run = startRun();
		await act(run, 0, { changes: false });
		expect(await act(run, 0, { changes: false })).toEqual({ number: 2 });
	});

	it('keeps the values of its fields until it is done', async () => {
		const work = workOf(contextOf(startRun()))(0);
		Object.assign(work, { params: { tag: 'vip' } });
		for (const failure of [definite, unclear]) {
			await expect(once(work, async () => await Promise.reject(failure))).rejects.toBe(failure);
			expect(work.params).toEqual({ tag: 'vip' });
			delete work.end;
		}
		await once(work, async () => await Promise.resolve({}));
		expect(work).not.toHaveProperty('params');
	});

	it('is done once for each call of an agent, which hands over its own run for all of them', async () => {
		const { act } = startService();
		const agent = startRun('Agent');
		const calls = [{ Contact: '1' }, { Contact: '1' }, {}, {}];
		for (let tries = 0; tries < 3; tries += 1) {
			for (const [index, json] of calls.entries()) {
				expect(await act(agent, 0, { json })).toEqual({ number: index + 1 });
			}
		}
	});

	it('is done for each run of a node, though its items are the same objects', async () => {
		const { act } = startService();
		const json = {};
		expect(await act(startRun(), 0, { json })).toEqual({ number: 1 });
		expect(await act(startRun(), 0, { json })).toEqual({ number: 2 });
	});

	it('is done at most once in each run, and ends as it did first, in whatever order they come', async () => {
		const ends = fc.constantFrom(undefined, unclear, definite);
		const tries = fc.array(fc.tuple(fc.nat(2), fc.nat(3), ends), { maxLength: 40 });
		await fc.assert(
			fc.asyncProperty(tries, async (all) => {
				const { act, count } = startService();
				const runs = [startRun(), startRun(), startRun()];
				const ended = new Map<string, unknown>();
				let done = 0;
				for (const [run, item, failure] of all) {
					const key = `${run} ${item}`;
					const end = await act(runs[run], item, { failure }).catch((error: unknown) => error);
					if (!ended.has(key)) {
						done += 1;
						expect(end).toEqual(failure ?? { number: done });
						if (end !== definite) ended.set(key, end);
					} else expect(end).toBe(ended.get(key));
				}
				expect(count()).toBe(done);
			}),
		);
	});
});
