import type { IPollFunctions, Workflow } from 'n8n-workflow';

import { systemClock } from '../../../nodes/WorkspaceCrm/n8n/systemClock';
import { altered } from '../../support/altered';
import { PollHost, unlimitedRuntime } from './pollHost';
import { addContact } from '../support';
import {
	sandbox,
	other,
	gone,
	throwing,
	WORKS,
	SILENT,
	refused,
	lost,
	row,
	type Alter,
	type Variants,
	type Run,
} from '../tomorrowRows';

describe('polls', () => {
	/** Two changes beside another poller. */
	const pollWithin =
		(deadlineMs?: number): Run =>
		async (alter) => {
			const contact = addContact(sandbox, { name: 'Old' });
			let laterMs = 0;
			const elapsedMs = () => systemClock.elapsedMs() + laterMs;
			const signalAfter = (ms: number) =>
				// whether a request is sent within so short a time would depend on the machine
				ms <= 1
					? AbortSignal.abort(new DOMException('', 'TimeoutError'))
					: systemClock.signalAfter(ms === 27_000 ? (deadlineMs ?? ms) : ms);
			const host = new PollHost(sandbox, {
				parameters: { watch: 'all', events: ['updated'], fields: ['name'] },
				runtime: unlimitedRuntime({ ...systemClock, elapsedMs, signalAfter }),
				budgetMs: 30_000,
				alter: (context: IPollFunctions) => alter(context),
			});
			const pass = async (times: number) => {
				for (let count = 0; count < times; count += 1) {
					laterMs += 60_000;
					await host.poll();
				}
			};
			try {
				await host.publish();
			} catch (error) {
				return sandbox.requests.length === 0 ? refused(error) : SILENT;
			}
			await pass(1);
			for (const name of ['New', 'Newer']) {
				contact.name = name;
				host.pollAnother('RSS', true);
				await pass(3);
			}
			const names = host.events.map(({ contact: each }) => (each as { name: string }).name);
			const [line] = host.log.filter((each) => /does not|time limit/.test(each));
			if (names.join() !== 'New,Newer') return `${SILENT}: ${names.join()}`;
			return line === undefined ? WORKS : lost(line);
		};
	const poll = pollWithin();
	const staticData =
		(change: (own: object) => unknown): Alter =>
		(context) => {
			const { getWorkflowStaticData } = context as IPollFunctions;
			return altered(context, {
				getWorkflowStaticData: (type: string) => change(getWorkflowStaticData.call(context, type)),
			});
		};
	const emit =
		(define: (context: object, value: unknown) => void): Alter =>
		(context) => {
			define(context, Reflect.get(context, '__emit'));
			return context;
		};
	const odd = (name: string): Variants => ({
		gone: gone(name),
		throws: throwing(name),
		'a promise': other({ [name]: async () => await Promise.resolve('activate') }),
		'a number': other({ [name]: () => 1 }),
	});
	let calls = 0;
	const hangsOnce: Alter = (context) => {
		const { getCredentials } = context as IPollFunctions;
		return altered(context, {
			getCredentials: async (type: string) => {
				calls += 1;
				if (calls === 4) await new Promise(() => {});
				return await getCredentials.call(context, type);
			},
		});
	};
	const otherKey: Alter = (context) => {
		const { workflow } = context as unknown as { workflow: Workflow };
		const node = { name: 'Another' } as never;
		return altered(context, { getWorkflowStaticData: () => workflow.getStaticData('node', node) });
	};

	row(1, '`__dataChanged` of static data', 'not used', { 'set by others': (same) => same }, poll);
	row(
		2,
		'`workflow` of a poll',
		'n8n/staticData.ts',
		{ gone: gone('workflow'), 'a text': other({ workflow: 'w' }), empty: other({ workflow: {} }) },
		poll,
	);
	row(
		3,
		'`getWorkflowStaticData` gives what n8n saves',
		'n8n/staticData.ts',
		{
			'a copy': staticData((own) => structuredClone({ ...own })),
			'a frozen copy': staticData((own) => Object.freeze(structuredClone({ ...own }))),
			'a promise': staticData(async () => await Promise.resolve({})),
			gone: gone('getWorkflowStaticData'),
		},
		poll,
	);
	row(
		4,
		'`__emit` can be wrapped',
		'n8n/polling.ts',
		{
			'read-only': emit((context, value) =>
				Object.defineProperty(context, '__emit', { value, writable: false }),
			),
			'ignores what is set': emit((context, value) =>
				Object.defineProperty(context, '__emit', { get: () => value, set: () => {} }),
			),
		},
		poll,
	);
	row(5, '`getPollBudgetMs`', 'n8n/polling.ts', odd('getPollBudgetMs'), poll);
	row(6, '`getActivationMode`', 'n8n/polling.ts', odd('getActivationMode'), poll);
	row(7, '`getInstanceId`', 'n8n/polling.ts', odd('getInstanceId'), poll);
	row(
		8,
		'`getCredentials` settles',
		'changes/changesPoll.ts',
		{ 'hangs once': hangsOnce },
		pollWithin(3_000),
	);
	row(9, 'the key `node:<name>` of static data', 'n8n/staticData.ts', { another: otherKey }, poll);
});
