import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { systemClock } from '../../nodes/WorkspaceCrm/api/clock';
import type { Contact } from '../../tools/sandbox';
import { delay, nextTurn } from '../../tools/support/platform';
import { PollHost, unlimitedRuntime, type PollHostOptions } from './pollHost';
import { addContacts, useSandbox } from './support';

/** One change is one event, whoever else is in the workflow, and whatever n8n does with the events. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });

const parameters = { watch: 'all', events: ['updated'], fields: ['name'] };
const runtime = unlimitedRuntime();

async function published(others: Partial<PollHostOptions> = {}) {
	const [contact] = addContacts(sandbox, 2);
	const host = new PollHost(sandbox, { parameters: { ...parameters }, runtime, ...others });
	await host.publish();
	await host.poll();
	return { host, contact };
}

const namesIn = ({ events }: PollHost) =>
	events.map(({ contact }) => (contact as IDataObject).name as string);

const DATA = [
	['as n8n saves static data', false],
	['with durable cursors', true],
] as const;

describe.each(DATA)('%s, one change is one event', (_, isDurable) => {
	test.each([
		['before', 'marks static data', false],
		['before', 'saves static data', true],
		['after', 'marks static data', false],
		['after', 'saves static data', true],
	])(
		'if another poller of the workflow, %s this one, %s at each poll',
		async (place, _what, saves) => {
			const { host, contact } = await published({ isDurable });
			for (const name of ['First', 'Second']) {
				contact.name = name;
				for (let polls = 0; polls < 5; polls += 1) {
					if (place === 'before') host.pollOther(saves);
					await host.poll();
					if (place === 'after') host.pollOther(saves);
				}
			}
			expect(namesIn(host)).toEqual(['First', 'Second']);
		},
	);

	test('if n8n discards a poll, and another poller then saves', async () => {
		const { host, contact } = await published({ isDurable });
		contact.name = 'During the poll';
		const meanwhile = async () => {
			await host.publish('update');
			host.pollOther(true);
		};
		sandbox.fail({ match: { path: '/v1/contacts' }, kind: { meanwhile } });
		await host.poll();
		host.pollOther(true);
		await host.poll(3);
		expect(namesIn(host)).toEqual(['During the poll']);
	});

	test('if two starts in a row fail late', async () => {
		const { host, contact } = await published({ isDurable });
		const ends: Array<() => void> = [];
		host.beforeStart = async () => {
			await new Promise<void>((resolve) => ends.push(resolve));
			throw new Error('the database is locked');
		};
		contact.name = 'First';
		await host.poll();
		contact.name = 'Second';
		await host.poll();
		for (const end of ends) end();
		await nextTurn();
		host.beforeStart = async () => {};
		await host.poll(3);
		expect(namesIn(host)).toEqual(['Second']);
	});

	test('if a start fails while the next poll reads', async () => {
		const { host, contact } = await published({ isDurable });
		let fail = () => {};
		host.beforeStart = async () =>
			await new Promise((_resolve, reject) => (fail = () => reject(new Error('locked'))));
		contact.name = 'First';
		await host.poll();
		const meanwhile = async () => {
			fail();
			await nextTurn();
		};
		host.beforeStart = async () => {};
		sandbox.fail({ match: { path: '/v1/contacts' }, kind: { meanwhile } });
		await host.poll(3);
		expect(namesIn(host)).toEqual(['First']);
	});

	test('if an execution is cancelled after its start', async () => {
		const { host, contact } = await published({ isDurable });
		const { started } = host;
		host.afterStart = () => {
			throw Object.assign(new Error('cancelled'), { extra: { executionId: '7' } });
		};
		contact.name = 'First';
		await host.poll(4);
		expect(started).toHaveLength(1);
	});
});

describe('without what tells about starts, a poll writes first', () => {
	test('n8n before 2.36: a failed start loses its events, and nothing is repeated', async () => {
		const { host, contact } = await published({ isOlder: true });
		contact.name = 'Lost';
		host.isLocked = true;
		await host.poll();
		host.isLocked = false;
		await host.poll(2);
		contact.name = 'Noticed';
		await host.poll(3);
		expect(namesIn(host)).toEqual(['Noticed']);
	});

	test.each([
		['cannot be replaced', { writable: false }],
		['is ignored', { get: undefined }],
	])('an __emit that %s', async (_, how) => {
		const { host, contact } = await published();
		host.prepare = (context) => {
			const { __emit: emit } = context;
			const own = 'writable' in how ? { value: emit, ...how } : { get: () => emit, set: () => {} };
			Object.defineProperty(context, '__emit', own);
		};
		await host.publish('update');
		contact.name = 'First';
		await host.poll(4);
		contact.name = 'Second';
		await host.poll(4);
		expect(namesIn(host)).toEqual(['First', 'Second']);
	});

	test('an n8n that takes events in another way: three repeats, and then no more', async () => {
		const { host, contact } = await published();
		host.prepare = (context) => {
			const { __emit: emit } = context;
			let seen = emit;
			// It seems to accept ours, and never calls it.
			Object.defineProperty(context, '__emit', {
				get: () => {
					const given = seen;
					seen = emit;
					return given;
				},
				set: (by: typeof emit) => void (seen = by),
			});
		};
		await host.publish('update');
		contact.name = 'First';
		await host.poll(8);
		expect(namesIn(host)).toEqual(['First', 'First', 'First', 'First']);
		contact.name = 'Second';
		await host.poll(3);
		expect(namesIn(host).slice(4)).toEqual(['Second']);
	});
});

describe('a poll that outlives its time is over:', () => {
	const clockOf = (past: { ms: number }) => ({
		...systemClock,
		elapsedMs: () => systemClock.elapsedMs() + past.ms,
	});

	test('the next one works, with a line in the log, and the late result counts for nothing', async () => {
		const past = { ms: 0 };
		const { host, contact } = await published({ runtime: unlimitedRuntime(clockOf(past)) });
		contact.name = 'First';
		let end = () => {};
		host.beforeCredential = async () => await new Promise<void>((resolve) => (end = resolve));
		const late = host.poll();
		await delay(5);
		host.beforeCredential = async () => {};
		await host.poll();
		expect(host.events).toEqual([]);
		past.ms = 61_000;
		await host.poll();
		expect(namesIn(host)).toEqual(['First']);
		expect(host.log).toContainEqual(expect.stringContaining('did not end in time'));
		contact.name = 'Second';
		end();
		await late;
		await host.poll(2);
		expect(namesIn(host)).toEqual(['First', 'Second']);
	});

	test.each([
		[
			'throws',
			() => {
				throw new Error('no budget');
			},
		],
		['gives NaN', () => NaN],
		['gives nothing', () => undefined],
		['gives a promise', async () => 5_000],
	])('getPollBudgetMs %s', async (_, getPollBudgetMs) => {
		const { host, contact } = await published();
		host.prepare = (context) => void Object.assign(context, { getPollBudgetMs });
		await host.publish('update');
		for (const name of ['First', 'Second']) {
			contact.name = name;
			await host.poll(2);
		}
		expect(namesIn(host)).toEqual(['First', 'Second']);
		expect(host.errors).toEqual([]);
	});
});

test('if n8n gives copies of static data, nothing is repeated or lost, and the log says once that nothing is kept', async () => {
	const { host, contact } = await published();
	host.prepare = (context) => {
		const get = context.getWorkflowStaticData.bind(context);
		context.getWorkflowStaticData = (type) => JSON.parse(JSON.stringify(get(type))) as IDataObject;
	};
	await host.publish('update');
	for (const name of ['First', 'Second']) {
		contact.name = name;
		await host.poll(3);
	}
	expect(namesIn(host)).toEqual(['First', 'Second']);
	expect(host.log.filter((line) => line.includes('does not keep'))).toHaveLength(1);
});

test('any mixture of polls, other pollers, publishings, failures and restarts: each change once', async () => {
	const actions = {
		change: (_host: PollHost, contact: Contact, name: string) => void (contact.name = name),
		poll: async (host: PollHost) => await host.poll(),
		marks: (host: PollHost) => host.pollOther(false),
		saves: (host: PollHost) => host.pollOther(true),
		publish: async (host: PollHost) => await host.publish('update'),
		rename: async (host: PollHost) => {
			host.identity.nodeName = `${host.identity.nodeName}'`;
			await host.publish('update');
		},
		discarded: async (host: PollHost) => {
			const meanwhile = async () => await host.publish('update');
			sandbox.fail({ match: { path: '/v1/contacts' }, kind: { meanwhile } });
			await host.poll();
		},
		locked: async (host: PollHost) => {
			host.isLocked = true;
			await host.poll();
			await nextTurn();
			host.isLocked = false;
		},
		restart: async (host: PollHost) => await host.restart(),
	};
	const names = Object.keys(actions) as Array<keyof typeof actions>;
	const steps = fc.array(fc.constantFrom(...names), { minLength: 3, maxLength: 25 });
	await fc.assert(
		fc.asyncProperty(steps, fc.boolean(), async (chosen, isDurable) => {
			sandbox.reset();
			const { host, contact } = await published({ isDurable });
			const before = contact.name;
			for (const [index, name] of chosen.entries()) {
				await actions[name](host, contact, `Name ${index}`);
				// n8n saves what it has before it ends.
				await nextTurn();
			}
			await host.poll(2);
			const told = namesIn(host);
			expect(new Set(told).size).toBe(told.length);
			expect(told.at(-1) ?? before).toBe(contact.name);
		}),
		{ numRuns: 50 },
	);
});
