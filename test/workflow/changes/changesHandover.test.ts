import * as fc from 'fast-check';
import type { IDataObject, INode, IPollFunctions, Workflow } from 'n8n-workflow';

import { systemClock } from '../../../nodes/WorkspaceCrm/n8n/systemClock';
import { delay, process } from '../../../tools/support/platform';
import { PollHost, unlimitedRuntime, type PollHostOptions } from './pollHost';
import { addContact, addContacts, useSandbox } from '../support';

/** How events get from a poll to n8n: one change is one event, whoever else is in the workflow, whatever n8n does. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });

const parameters = { watch: 'all', events: ['updated'], fields: ['name'] };
const MODES: Array<[string, boolean]> = [
	['as n8n saves static data', false],
	['with durable cursors', true],
];

async function published(options: Partial<PollHostOptions> = {}) {
	const contact = addContact(sandbox, { name: 'Old' });
	let laterMs = 0;
	const elapsedMs = () => systemClock.elapsedMs() + laterMs;
	const runtime = unlimitedRuntime({ ...systemClock, elapsedMs });
	const host = new PollHost(sandbox, { parameters, runtime, ...options });
	// Polls are a minute apart.
	const { poll } = host;
	host.poll = async (times = 1) => {
		for (let index = 0; index < times; index += 1) {
			laterMs += 60_000;
			await poll.call(host);
		}
	};
	await host.publish();
	// With durable cursors, n8n saves no cursor of the first poll.
	await host.poll();
	const rename = (name: string) => void (contact.name = name);
	const names = () => host.events.map(({ contact: each }) => (each as IDataObject).name);
	return { host, rename, names };
}

/** A context that shows something else as its workflow. */
const hideWorkflow = (shown?: unknown) => (context: IPollFunctions) =>
	new Proxy(context, {
		get: (target, name) => {
			if (name === 'workflow') return shown;
			const value = Reflect.get(target, name, target) as unknown;
			const isMethod = typeof value === 'function' && name !== '__emit';
			return isMethod ? (value.bind(target) as unknown) : value;
		},
	});

describe.each(MODES)('beside other pollers in the workflow, %s', (_, isDurable) => {
	test.each<[string, (host: PollHost, poll: () => Promise<void>) => Promise<void>]>([
		[
			'one that finds something each time, before',
			async (host, poll) => {
				host.pollAnother('RSS', true);
				await poll();
			},
		],
		[
			'one that finds something each time, after',
			async (host, poll) => {
				await poll();
				host.pollAnother('RSS', true);
			},
		],
		[
			'one that only writes, before',
			async (host, poll) => {
				host.pollAnother('Gmail', false);
				await poll();
			},
		],
		[
			'one that only writes, after',
			async (host, poll) => {
				await poll();
				host.pollAnother('Gmail', false);
			},
		],
		[
			'several',
			async (host, poll) => {
				host.pollAnother('Gmail', false);
				host.pollAnother('RSS', true);
				await poll();
				host.pollAnother('Notion', false);
			},
		],
	])('one change is one event in ten polls: %s', async (_case, minute) => {
		const { host, rename, names } = await published({ isDurable });
		rename('New');
		for (let polls = 0; polls < 10; polls += 1) {
			await minute(host, async () => await host.poll());
		}
		expect(names()).toEqual(['New']);
		rename('Newer');
		await host.restart();
		for (let polls = 0; polls < 3; polls += 1) {
			await minute(host, async () => await host.poll());
		}
		expect(names()).toEqual(['New', 'Newer']);
	});

	test('events that n8n discards come again, although another poller saves static data', async () => {
		const { host, rename, names } = await published({ isDurable });
		rename('New');
		host.isDiscarding = true;
		await host.poll();
		host.isDiscarding = false;
		host.pollAnother('RSS', true);
		await host.poll(3);
		expect(names()).toEqual(['New']);
	});
});

describe.each(MODES)('a start that fails, %s', (_, isDurable) => {
	test.each(['executions', true] as const)(
		'its events come again, once (locked: %p)',
		async (isLocked) => {
			const { host, rename, names } = await published({ isDurable });
			rename('New');
			host.isLocked = isLocked;
			await host.poll(2);
			host.isLocked = false;
			await host.poll(3);
			expect(names()).toEqual(['New']);
			await host.restart();
			await host.poll(2);
			expect(names()).toEqual(['New']);
			// What is held back is not lost.
			expect(host.log.join()).not.toContain('does not keep');
		},
	);

	test.each(['before', 'after'])(
		'of which n8n throws %s it: its events come again, once, and none counts as lost',
		async (when) => {
			let isThrowing = false;
			const alter = (context: IPollFunctions) => {
				const emit = context.__emit;
				context.__emit = (...args) => {
					if (isThrowing && when === 'before') throw new Error('n8n');
					emit.apply(context, args);
					if (isThrowing) throw new Error('n8n');
				};
			};
			const { host, rename, names } = await published({ isDurable, alter });
			rename('New');
			isThrowing = true;
			host.isLocked = 'executions';
			await host.poll();
			isThrowing = false;
			host.isLocked = false;
			await host.poll(3);
			expect(names()).toEqual(['New']);
			expect(host.log.join()).not.toContain('They are lost');
		},
	);

	test('after the settings have changed is in the log: its changes cannot come again', async () => {
		const { host, rename, names } = await published({ isDurable });
		host.isStartHeld = true;
		rename('New');
		await host.poll();
		host.options.parameters = { ...parameters, fields: ['name', 'locale'] };
		await host.publish('update');
		await host.poll();
		host.isLocked = 'executions';
		host.isStartHeld = false;
		await host.startNow();
		host.isLocked = false;
		rename('Newer');
		await host.poll(3);
		expect(names()).toEqual(['Newer']);
		expect(host.log.filter((line) => line.includes('1 contacts. They are lost'))).toHaveLength(1);
	});

	test('static data that could not be saved repeats nothing while n8n runs', async () => {
		const { host, rename, names } = await published({ isDurable });
		rename('New');
		host.isLocked = 'static data';
		await host.poll(3);
		host.isLocked = false;
		await host.poll(2);
		expect(names().slice(0, 1)).toEqual(['New']);
		expect(names()).toHaveLength(1);
	});

	test('two starts that both fail late give both changes again', async () => {
		const { host, rename, names } = await published({ isDurable });
		host.isStartHeld = true;
		rename('New');
		await host.poll();
		host.isLocked = 'executions';
		rename('Newer');
		await host.poll();
		host.isStartHeld = false;
		await host.startNow();
		host.isLocked = false;
		expect(names()).toEqual([]);
		await host.poll(3);
		expect(names()).toEqual(['Newer']);
		expect(host.events).toMatchObject([{ changed: { fields: ['name'] } }]);
	});

	test('a poll without changes before a start fails does not lose the change', async () => {
		const { host, rename, names } = await published({ isDurable });
		host.isStartHeld = true;
		rename('New');
		await host.poll(3);
		host.isLocked = 'executions';
		host.isStartHeld = false;
		await host.startNow();
		host.isLocked = false;
		await host.poll(3);
		expect(names()).toEqual(['New']);
	});

	test('many starts that all fail late give all changes again', async () => {
		const { host, rename, names } = await published({ isDurable });
		host.isStartHeld = true;
		for (let count = 0; count < 15; count += 1) {
			rename(`Name ${count}`);
			await host.poll();
		}
		host.isLocked = 'executions';
		host.isStartHeld = false;
		await host.startNow();
		host.isLocked = false;
		await host.poll(3);
		expect(names()).toEqual(['Name 14']);
	});

	test('a late start that fails after a later one has succeeded is in the log', async () => {
		const { host, rename, names } = await published({ isDurable });
		host.isStartHeld = true;
		rename('New');
		await host.poll();
		rename('Newer');
		await host.poll();
		host.isLocked = 'executions';
		await host.startNow(1);
		host.isLocked = false;
		host.isStartHeld = false;
		await host.startNow();
		await host.poll(2);
		expect(names()).toEqual(['Newer']);
		expect(host.log.filter((line) => line.includes('They are lost'))).toHaveLength(1);
	});

	test('of several late starts, each loss is in the log', async () => {
		const { host, rename, names } = await published({ isDurable });
		host.isStartHeld = true;
		for (let count = 0; count < 5; count += 1) {
			rename(`Name ${count}`);
			await host.poll();
		}
		await host.startNow(1, -1);
		host.isLocked = 'executions';
		host.isStartHeld = false;
		await host.startNow();
		host.isLocked = false;
		await host.poll(2);
		expect(names()).toEqual(['Name 4']);
		expect(host.log.filter((line) => line.includes('They are lost'))).toHaveLength(4);
	});

	test('while the next poll reads: that poll starts nothing, the one after it reports the change', async () => {
		const { host, rename, names } = await published({ isDurable });
		host.isStartHeld = true;
		rename('New');
		await host.poll();
		host.isLocked = 'executions';
		const meanwhile = async () => await host.startNow();
		sandbox.fail({ match: { path: '/v1/contacts' }, kind: { meanwhile } });
		await host.poll();
		host.isStartHeld = false;
		host.isLocked = false;
		await host.poll(3);
		expect(names()).toEqual(['New']);
	});

	test('before n8n takes the events of the next poll: it gets none, the one after it reports all', async () => {
		let latest: IPollFunctions | undefined;
		const alter = (context: IPollFunctions) => void (latest = context);
		const { host, rename, names } = await published({ isDurable, alter });
		host.isStartHeld = true;
		rename('New');
		await host.poll();
		rename('Newer');
		host.isDiscarding = true;
		await host.poll();
		host.isDiscarding = false;
		host.isLocked = 'executions';
		host.isStartHeld = false;
		await host.startNow();
		host.isLocked = false;
		latest?.__emit([[{ json: { contact: { name: 'Late' } } }]]);
		await host.poll(3);
		expect(names()).toEqual(['Newer']);
	});

	test.each(['cancelled', 'unknownToMain', 'hours'] as const)(
		'an execution that has started counts, however it ends: %s',
		async (ending) => {
			const { host, rename, names } = await published({ isDurable });
			host.ending = ending === 'hours' ? new Promise(() => {}) : ending;
			for (const name of ['New', 'Newer', 'Newest']) {
				rename(name);
				await host.poll(3);
			}
			expect(names()).toEqual(['New', 'Newer', 'Newest']);
		},
	);
});

test.each(['open', 'failed'])(
	'with durable cursors, n8n is killed after quiet polls, and a start is %s: its change comes again',
	async (outcome) => {
		const { host, rename, names } = await published({ isDurable: true });
		host.isStartHeld = true;
		rename('New');
		await host.poll(3);
		host.isStartHeld = false;
		host.isLocked = 'executions';
		if (outcome === 'failed') await host.startNow();
		host.isLocked = false;
		await host.restart();
		await host.poll(2);
		expect(names()).toEqual(['New']);
	},
);

test.each<[string, Partial<PollHostOptions>]>([
	['as n8n saves static data', {}],
	['with durable cursors', { isDurable: true }],
	['in older versions', { isOlder: true }],
])('once a start has ended, quiet polls are saved again: %s', async (_, options) => {
	const { host, rename, names } = await published(options);
	for (const name of ['1', '2', '3', '4', '5']) {
		rename(name);
		await host.poll();
	}
	const later = addContact(sandbox, { name: 'Later' });
	await host.poll();
	host.pollAnother('RSS', true);
	later.name = 'Renamed';
	await host.restart();
	await host.poll(2);
	expect(names()).toEqual(['1', '2', '3', '4', '5', 'Renamed']);
	expect(host.log.join()).not.toContain('does not say');
});

test('in older versions of n8n, which say nothing, one change is one event', async () => {
	const { host, rename, names } = await published({ isOlder: true });
	for (const name of ['New', 'Newer']) {
		rename(name);
		host.pollAnother('RSS', true);
		await host.poll(3);
	}
	expect(names()).toEqual(['New', 'Newer']);
	expect(host.errors).toEqual([]);
});

test('in older versions of n8n, a failed start loses its events, and nothing is repeated', async () => {
	const { host, rename, names } = await published({ isOlder: true });
	rename('Lost');
	host.isLocked = true;
	await host.poll();
	host.isLocked = false;
	await host.poll(2);
	rename('Noticed');
	await host.poll(3);
	expect(names()).toEqual(['Noticed']);
});

describe('n8n of tomorrow', () => {
	const withEmit = (define: (context: IPollFunctions, emit: IPollFunctions['__emit']) => void) => {
		return (context: IPollFunctions) => define(context, context.__emit);
	};
	test.each<[string, Partial<PollHostOptions>, string[], number?]>([
		[
			'__emit is read-only',
			{
				alter: withEmit((context, value) =>
					Object.defineProperty(context, '__emit', { value, writable: false }),
				),
			},
			['does not say when it takes'],
		],
		[
			'__emit is an accessor that ignores what is set',
			{
				alter: withEmit((context, emit) =>
					Object.defineProperty(context, '__emit', { get: () => emit, set: () => {} }),
				),
			},
			['does not say when it takes'],
		],
		[
			'static data is a copy',
			{
				alter: (context) => {
					const own = context.getWorkflowStaticData('node');
					context.getWorkflowStaticData = () => structuredClone({ ...own });
				},
			},
			['does not keep'],
		],
		[
			'static data is a frozen copy',
			{
				alter: (context) => {
					const own = context.getWorkflowStaticData('node');
					context.getWorkflowStaticData = () => Object.freeze(structuredClone({ ...own }));
				},
			},
			['does not keep'],
		],
		[
			'static data is a promise',
			{
				alter: (context) => {
					context.getWorkflowStaticData = () => Promise.resolve({}) as unknown as IDataObject;
				},
			},
			['does not keep'],
		],
		[
			'static data is gone',
			{ alter: (context) => void Object.assign(context, { getWorkflowStaticData: undefined }) },
			['does not keep'],
		],
		[
			'static data has another key',
			{
				alter: (context) => {
					const { workflow } = context as unknown as { workflow: Workflow };
					context.getWorkflowStaticData = () =>
						workflow.getStaticData('node', { name: 'Another' } as INode);
				},
			},
			[],
		],
		['the context shows no workflow', { alter: hideWorkflow() }, []],
		['the workflow is a text', { alter: hideWorkflow('workflow') }, []],
		['the workflow is empty', { alter: hideWorkflow({}) }, []],
	])('%s: one change is one event', async (_, options, lines) => {
		const { host, rename, names } = await published(options);
		for (const name of ['New', 'Newer']) {
			rename(name);
			host.pollAnother('RSS', true);
			await host.poll(3);
		}
		expect(names()).toEqual(['New', 'Newer']);
		for (const line of lines)
			expect(host.log.filter((each) => each.includes(line))).toHaveLength(1);
	});

	test.each<[string, Partial<PollHostOptions>]>([
		['shows no workflow', { alter: hideWorkflow() }],
		[
			'keeps static data under another key',
			{
				alter: (context) => {
					const { workflow } = context as unknown as { workflow: Workflow };
					context.getWorkflowStaticData = () =>
						workflow.getStaticData('node', { name: 'Another' } as INode);
				},
			},
		],
	])('a failed start before a publishing loses nothing if the context %s', async (_, options) => {
		const { host, rename, names } = await published(options);
		rename('New');
		host.isLocked = 'executions';
		await host.poll();
		host.isLocked = false;
		await host.publish('update');
		await host.poll(3);
		expect(names()).toEqual(['New']);
	});

	test('n8n takes events without calling __emit of the context: repeated three times at most', async () => {
		const { host, rename, names } = await published();
		host.isDeaf = true;
		rename('New');
		await host.poll(10);
		rename('Newer');
		await host.poll(10);
		expect(names().filter((each) => each === 'New').length).toBeLessThanOrEqual(4);
		expect(names().filter((each) => each === 'Newer')).toHaveLength(1);
	});
});

test('after polls whose events n8n took without calling __emit, it calls it again: no change is lost', async () => {
	const { host, rename, names } = await published();
	host.isDeaf = true;
	for (const name of ['1', '2', '3', '4']) {
		rename(name);
		await host.poll();
	}
	host.isDeaf = false;
	rename('Heard');
	await host.poll(3);
	expect(names().filter((each) => each === 'Heard')).toHaveLength(1);
});

describe('n8n of tomorrow, without what identifies a publishing', () => {
	const SAYS = ['getActivationMode', 'getInstanceId'] as const;
	const OTHERS: Array<[string, unknown]> = [
		['is gone', undefined],
		[
			'throws',
			() => {
				throw new Error('Not here');
			},
		],
		['is asynchronous', async () => await Promise.resolve('activate')],
		['gives a number', () => 1],
	];
	test.each(SAYS.flatMap((name) => OTHERS.map((other) => [name, ...other] as const)))(
		'%s %s: publishing says so, and sends nothing',
		async (name, _, value) => {
			addContact(sandbox);
			const alter = (context: IPollFunctions) =>
				new Proxy(context, {
					get: (target, key) => {
						if (key === name) return value;
						const own = Reflect.get(target, key, target) as unknown;
						return typeof own === 'function' ? (own.bind(target) as unknown) : own;
					},
				});
			const host = new PollHost(sandbox, { parameters, alter });
			await expect(host.publish()).rejects.toThrow(
				'This version of n8n does not say how the workflow was published, or which n8n this is',
			);
			expect(sandbox.requests).toEqual([]);
		},
	);
});

describe('a poll that outlives its time limit is over', () => {
	const clock = {
		...systemClock,
		signalAfter: (ms: number) => systemClock.signalAfter(ms === 27_000 ? 500 : ms),
	};
	const runtime = () => unlimitedRuntime(clock);
	const budget = (getPollBudgetMs: unknown) => ({
		alter: (context: IPollFunctions) => void Object.assign(context, { getPollBudgetMs }),
	});

	test.each<[string, unknown]>([
		[
			'throws',
			() => {
				throw new Error('No budget');
			},
		],
		['is NaN', () => NaN],
		['is a promise', async () => await Promise.resolve(5)],
		['is zero', () => 0],
		['is a text', () => '5'],
	])('a budget that %s does not stop polling', async (_, getPollBudgetMs) => {
		const { host, rename, names } = await published(budget(getPollBudgetMs));
		rename('New');
		await host.poll(3);
		expect(names()).toEqual(['New']);
		expect(host.errors).toEqual([]);
	});

	test('credentials that never come: the next poll starts, and the log has a line', async () => {
		let isHanging = false;
		let late: () => void = () => {};
		const { host, rename, names } = await published({
			runtime: runtime(),
			budgetMs: 30_000,
			alter: (context) => {
				const get = context.getCredentials.bind(context);
				context.getCredentials = async (type) => {
					if (isHanging) await new Promise<void>((resolve) => (late = resolve));
					return await get(type);
				};
			},
		});
		isHanging = true;
		rename('New');
		await host.poll();
		expect(host.log.filter((line) => line.includes('time limit'))).toHaveLength(1);
		isHanging = false;
		await host.poll(2);
		expect(names()).toEqual(['New']);
		rename('Newer');
		const before = sandbox.requests.length;
		late();
		await delay(50);
		expect(sandbox.requests).toHaveLength(before);
		await host.poll(2);
		expect(names()).toEqual(['New', 'Newer']);
	});
});

const ACTIONS = [
	...['tag', 'poll', 'take', 'take', 'start', 'fail', 'failLast', 'startLast', 'locked'],
	...['marks', 'saves', 'publish', 'rename', 'discard', 'cancel', 'hang', 'restart'],
] as const;

test.each<[string, Partial<PollHostOptions>]>([
	['as n8n saves static data', {}],
	['with durable cursors', { isDurable: true }],
	['without a workflow to see', { alter: hideWorkflow() }],
])(
	'whatever happens, each tag is one event, or the log says that it is lost: %s',
	async (_, options) => {
		const { isDurable = false } = options;
		const actions = fc.record({ do: fc.constantFrom(...ACTIONS), who: fc.nat(2) });
		await fc.assert(
			fc.asyncProperty(fc.array(actions, { minLength: 5, maxLength: 40 }), async (steps) => {
				sandbox.reset();
				let isHanging = false;
				const signalAfter = (ms: number) => systemClock.signalAfter(isHanging ? 5 : ms);
				const runtime = unlimitedRuntime({ ...systemClock, signalAfter });
				const host = new PollHost(sandbox, {
					...options,
					parameters: { watch: 'all', events: ['tagAdded'] },
					runtime,
					alter: (context) => {
						const get = context.getCredentials.bind(context);
						context.getCredentials = async (type) =>
							isHanging ? await new Promise(() => {}) : await get(type);
						return options.alter?.(context) ?? context;
					},
				});
				const contacts = addContacts(sandbox, 3);
				await host.publish();
				await host.poll();
				const fail = async (first: number) => {
					host.isLocked = 'executions';
					await host.startNow(1, first);
					host.isLocked = false;
				};
				let tags = 0;
				let hasFailed = false;
				for (const { do: action, who } of steps) {
					hasFailed ||= ['fail', 'failLast', 'locked'].includes(action);
					if (action === 'tag') {
						tags += 1;
						contacts[who].tags.push(`tag ${tags}`);
					}
					if (action === 'poll') {
						host.isStartHeld = host.heldCount > 0;
						await host.poll();
					}
					if (action === 'take') {
						tags += 1;
						contacts[who].tags.push(`tag ${tags}`);
						host.isStartHeld = true;
						await host.poll();
					}
					if (action === 'start') await host.startNow(1);
					// In the order of its leases, n8n commits cursors.
					if (action === 'startLast' && !isDurable) await host.startNow(1, -1);
					if (action === 'fail') await fail(0);
					if (action === 'failLast') await fail(-1);
					if (action === 'locked') {
						host.isLocked = true;
						await host.poll();
						if (host.heldCount > 0) await host.startNow(1, -1);
						host.isLocked = false;
					}
					if (action === 'marks') host.pollAnother('Gmail', false);
					if (action === 'saves') host.pollAnother('RSS', true);
					if (action === 'publish') await host.publish('update');
					if (action === 'rename') {
						host.identity.nodeName = `Name ${tags % 2}`;
						await host.publish('update');
					}
					if (action === 'discard') {
						host.isDiscarding = true;
						await host.poll();
						host.isDiscarding = false;
					}
					if (action === 'cancel') {
						host.ending = 'cancelled';
						await host.poll();
						if (host.heldCount > 0) await host.startNow(1);
						host.ending = 'success';
					}
					if (action === 'hang') {
						isHanging = true;
						await host.poll();
						isHanging = false;
					}
					if (action === 'restart') {
						// Without durable cursors, n8n saves the record apart from the execution: a kill loses or repeats. With
						// them, a kill between a failed start and the next poll loses if a later start has succeeded.
						if (!isDurable || hasFailed) {
							await host.startNow();
							await host.poll();
							await host.startNow();
							host.pollAnother('RSS', true);
						}
						host.isStartHeld = false;
						await host.restart();
					}
				}
				host.isStartHeld = false;
				await host.startNow();
				await host.poll(3);
				const names = host.events.map(({ changed }) => (changed as IDataObject).tag);
				expect(new Set(names).size).toBe(names.length);
				const missing = contacts.filter(({ tags: all }) =>
					all.some((tag) => tag.startsWith('tag ') && !names.includes(tag)),
				);
				const lost = host.log.map((line) => Number(/ (\d+) contacts. They/.exec(line)?.[1] ?? 0));
				const lostCount = lost.reduce((sum, count) => sum + count, 0);
				expect(missing.length).toBeLessThanOrEqual(lostCount);
			}),
			// Shrinking takes minutes.
			{ numRuns: Number(process.env.WORLDS ?? 12), endOnFailure: true },
		);
	},
	600_000,
);
