import { ExecuteContext } from 'n8n-core';
import type {
	IExecuteFunctions,
	INodeParameters,
	IPollFunctions,
	IWorkflowExecuteAdditionalData,
	Workflow,
} from 'n8n-workflow';

import { systemClock } from '../../nodes/WorkspaceCrm/n8n/systemClock';
import { runNode, type NodeRun } from '../../tools/engine/runNode';
import { delay, fs, process } from '../../tools/support/platform';
import { altered } from '../support/altered';
import { campaign } from './campaignNode';
import { PollHost, unlimitedRuntime } from './pollHost';
import {
	addContact,
	addContacts,
	chosen,
	contactId,
	patientRuntime,
	useSandbox,
	variablesOf,
} from './support';
import type { TriggerHostOptions } from './triggerHost';
import { startTrigger, stopTriggers } from './triggerSetup';
import { WaitingNode } from './waitingNode';

/**
 * n8n of tomorrow: each thing of n8n's inside that the nodes use is taken away, renamed, frozen or changed. Then
 * everything works, or nothing is sent and the user reads why, or what is lost stands in n8n's log and on the page
 * that this test writes. Nothing else.
 */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
afterEach(async () => await stopTriggers());

type Alter = <Context extends object>(context: Context) => Context;
type Variants = Record<string, Alter>;
type Run = (alter: Alter) => Promise<string>;

const other =
	(others: Record<string, unknown>): Alter =>
	(context) =>
		altered(context, others);
const gone = (name: string) => other({ [name]: undefined });
const throwing = (name: string) =>
	other({
		[name]: () => {
			throw new Error('Not here');
		},
	});

const WORKS = 'works';
const SILENT = 'SILENT AND WRONG';
/** Short, and without what differs between runs. */
const brief = (text: string) =>
	text
		.replace(/^Workspace CRM: /, '')
		.replace(/\s+/g, ' ')
		.replace(/https?:\S+|[0-9a-f]{8}-[0-9a-f-]{20,}/g, '…')
		.slice(0, 150);
const refused = (error: unknown) =>
	`refused before anything is sent: "${brief((error as Error).message)}"`;
const lost = (log: string) => `works with this loss, in n8n's log: "${brief(log)}"`;
const said = (text: string) => `says: "${brief(text)}"`;

interface Row {
	internal: string;
	file: string;
	outcomes: Map<string, string>;
}
const rows = new Map<number, Row>();

function row(number: number, internal: string, file: string, variants: Variants, run: Run): void {
	const outcomes = new Map<string, string>();
	rows.set(number, { internal, file, outcomes });
	test.each(Object.keys(variants))(`${number}. ${internal} (${file}): %s`, async (name) => {
		const outcome = await run(variants[name]);
		outcomes.set(name, outcome);
		expect(outcome).not.toContain(SILENT);
	});
}

let executions = 100;
const nextExecution = () => String((executions += 1));

describe('polls', () => {
	/** Two changes beside another poller. */
	const pollWithin =
		(deadlineMs?: number): Run =>
		async (alter) => {
			const contact = addContact(sandbox, { name: 'Old' });
			let laterMs = 0;
			const elapsedMs = () => systemClock.elapsedMs() + laterMs;
			const signalAfter = (ms: number) =>
				systemClock.signalAfter(ms === 27_000 ? (deadlineMs ?? ms) : ms);
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
		'n8n/nodeData.ts',
		{ gone: gone('workflow'), 'a text': other({ workflow: 'w' }), empty: other({ workflow: {} }) },
		poll,
	);
	row(
		3,
		'`getWorkflowStaticData` gives what n8n saves',
		'n8n/nodeData.ts',
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
		pollWithin(300),
	);
	row(9, 'the key `node:<name>` of static data', 'n8n/nodeData.ts', { another: otherKey }, poll);
});

describe('deliveries', () => {
	/** An event, its repeat, one whose first start fails, and a forged one. */
	const deliver: Run = async (alter) => {
		const { sandbox: crm, host } = await startTrigger({ alter });
		const contact = addContact(crm);
		try {
			await host.publish();
		} catch (error) {
			const isUntouched = crm.store.subscriptions.size === 0;
			return isUntouched ? refused(error) : SILENT;
		}
		const write = async (text: string) => {
			crm.emit.inboundMessage(contact.id, text);
			await crm.settled();
			return crm.deliveries.at(-1)?.deliveryId ?? '';
		};
		await crm.redeliver(await write('one'));
		const once = host.started.length;
		host.onStart = () => {
			host.onStart = () => {};
			throw new Error('the database is down');
		};
		const second = await write('two');
		const after = host.started.length;
		if (after === once) await crm.redeliver(second);
		const [subscription] = crm.store.subscriptions.values();
		const before = host.started.length;
		const lines = [...host.log];
		subscription.secret = 'another';
		await write('forged');
		const isSafe = host.started.length === before && host.failedExecutions.length <= 1;
		if (!isSafe) return `${SILENT}: a forged delivery starts an execution`;
		const isWhole = once === 1 && before === 2;
		const [line] = lines;
		if (isWhole && line === undefined) return WORKS;
		return line === undefined ? `${SILENT}: ${once} ${before}` : lost(line);
	};
	const response =
		(change: (response: object) => object | undefined): Alter =>
		(context) => {
			if (!('getResponseObject' in context)) return context;
			const { getResponseObject } = context as { getResponseObject: () => object };
			return altered(context, { getResponseObject: () => change(getResponseObject.call(context)) });
		};
	const request =
		(others: Record<string, unknown>): Alter =>
		(context) => {
			if (!('getRequestObject' in context)) return context;
			const { getRequestObject } = context as { getRequestObject: () => object };
			return altered(context, {
				getRequestObject: () => altered(getRequestObject.call(context), others),
			});
		};
	const withFixedEnd = (response_: object) =>
		Object.defineProperty(response_, 'end', {
			value: Reflect.get(response_, 'end') as unknown,
			writable: false,
		});
	/** n8n ends the response by itself, and not by the `end` that the node has replaced. */
	const another = (own: object) => {
		const end = Reflect.get(own, 'end') as (...given: unknown[]) => unknown;
		return Object.create(own, { end: { value: end.bind(own), writable: true } }) as object;
	};

	row(
		10,
		'`response.end` is called on the object that the node has',
		'n8n/webhook.ts',
		{ frozen: response(withFixedEnd), 'on another object': response(another) },
		deliver,
	);
	row(
		11,
		'`response.statusCode`',
		'n8n/webhook.ts',
		{ gone: response((own) => altered(own, { statusCode: undefined })) },
		deliver,
	);
	row(12, '`getResponseObject`', 'n8n/webhook.ts', { gone: gone('getResponseObject') }, deliver);
	row(
		13,
		'`request.readRawBody`',
		'n8n/webhook.ts',
		{
			gone: request({ readRawBody: undefined }),
			'not asynchronous': request({ readRawBody: () => {} }),
		},
		deliver,
	);
	row(
		14,
		'`request.rawBody`',
		'n8n/webhook.ts',
		{
			gone: request({ rawBody: undefined }),
			'other bytes': request({ rawBody: Buffer.from('{}') }),
		},
		deliver,
	);
	const upper: Alter = (context) =>
		'getHeaderData' in context
			? altered(context, {
					getHeaderData: () =>
						Object.fromEntries(
							Object.entries((context as { getHeaderData: () => object }).getHeaderData()).map(
								([name, value]) => [name.toUpperCase(), value as unknown],
							),
						),
				})
			: context;
	row(
		15,
		'lower-case names of headers',
		'events/signedDelivery.ts',
		{ 'upper-case': upper },
		deliver,
	);

	/** A test in the editor beside the published trigger. */
	const testBeside =
		(options: Partial<TriggerHostOptions>): Run =>
		async (alter) => {
			const { sandbox: crm, host } = await startTrigger({ ...options, alter });
			const contact = addContact(crm);
			await host.publish();
			await host.publish(true);
			await host.unpublish(true);
			crm.emit.inboundMessage(contact.id, 'one');
			await crm.settled();
			return host.started.length === 1 && crm.store.subscriptions.size === 1 ? WORKS : SILENT;
		};
	row(
		16,
		'`webhookData.isTest`',
		'n8n/webhook.ts',
		{ gone: gone('webhookData'), 'another name': other({ webhookData: { test: true } }) },
		testBeside({}),
	);
	row(17, '`workflow` of a publishing', 'n8n/webhook.ts', { gone: gone('workflow') }, deliver);
	row(18, '`noWebhookResponse`', 'n8n/webhook.ts', { 'as today': (same) => same }, deliver);
});

describe('waits', () => {
	const question = (more: INodeParameters = {}): INodeParameters => ({
		resource: 'message',
		operation: 'sendAndWait',
		contactId: chosen('id', contactId),
		template: chosen('name', 'question'),
		templateVariables: variablesOf({ question: 'May we?' }),
		...more,
	});
	const items = [{ approved: true, replied: true }];
	const messages = () => sandbox.store.sentMessages.length;
	const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

	/** Asks; then the time is over, and in another run, the contact replies. */
	const ask: Run = async (alter) => {
		addContact(sandbox, { id: contactId });
		const executionId = nextExecution();
		const asking = { parameters: question(), items, settings, alter, executionId } as NodeRun;
		const { run, error, json } = await runNode(sandbox, {
			...asking,
			runtime: patientRuntime().runtime,
		});
		if (error) return messages() === 0 ? refused(error) : `${SILENT}: ${messages()} sent`;
		if (messages() !== 1) return `${SILENT}: ${messages()} sent`;
		if (!run.waitTill) {
			const isNo = json.every(({ approved, replied }) => !approved && !replied);
			return isNo ? said('no reply') : SILENT;
		}
		const waiting = new WaitingNode(sandbox, question(), run);
		const [silent] = await waiting.timeOut();
		if (silent.approved !== false || silent.replied !== false) return `${SILENT}: silence is a yes`;
		const [subscription] = sandbox.store.subscriptions.values();
		const reply = await waiting.deliver(subscription, {
			...{ id: 'evt', event: 'message.received', created_at: sandbox.store.nowIso() },
			data: { contact: { id: contactId }, message: { type: 'text', text: 'Yes' } },
		});
		await delay(20);
		return reply?.[0].approved === true ? WORKS : SILENT;
	};
	const additional =
		(others: object): Alter =>
		(context) => {
			const { additionalData } = context as { additionalData?: IWorkflowExecuteAdditionalData };
			return altered(context, { additionalData: { ...additionalData, ...others } });
		};
	const entry =
		(change: (entry: object) => object): Alter =>
		(context) => {
			const { getExecuteData } = context as IExecuteFunctions;
			return altered(context, { getExecuteData: () => change(getExecuteData.call(context)) });
		};

	row(
		19,
		'`getSignedResumeUrl`',
		'n8n/waitingExecution.ts',
		{
			gone: gone('getSignedResumeUrl'),
			'a promise': other({
				getSignedResumeUrl: async () =>
					await Promise.resolve('https://n8n.example.com/x?signature=a'),
			}),
		},
		ask,
	);
	row(
		20,
		'the parameter `signature` of that URL',
		'n8n/waitingExecution.ts',
		{
			'another name': other({
				getSignedResumeUrl: () => 'https://n8n.example.com/webhook-waiting/1/crm?token=a',
			}),
			blank: other({
				getSignedResumeUrl: () => 'https://n8n.example.com/webhook-waiting/1/crm?signature=',
			}),
		},
		ask,
	);
	row(
		21,
		"`getExecuteData` is the entry on n8n's stack",
		'n8n/waitingExecution.ts',
		{
			'a copy': entry((own) => ({ ...own })),
			'a frozen copy': entry((own) => Object.freeze({ ...own })),
		},
		ask,
	);
	row(
		23,
		'`putExecutionToWait`',
		'n8n/waitingExecution.ts',
		{
			gone: gone('putExecutionToWait'),
			'does nothing': other({ putExecutionToWait: async () => await Promise.resolve() }),
			"ignored, as by n8n's Engine 2.0": additional({ hooks: undefined }),
		},
		ask,
	);
	/** n8n runs the node once more when it resumes. */
	const askAgain: Run = async (alter) => {
		addContact(sandbox, { id: contactId });
		const kept: Record<string, object> = {};
		const keeps: Alter = (context) =>
			altered(alter(context), { getContext: (type: string) => (kept[type] ??= {}) });
		const executionId = nextExecution();
		const run = async () =>
			await runNode(sandbox, {
				...{ parameters: question(), items, alter: keeps, executionId },
				runtime: patientRuntime().runtime,
			});
		await run();
		const { error } = await run();
		return messages() === 1 && error ? refused(error) : `${SILENT}: ${messages()} sent`;
	};
	row(
		24,
		'the node is disabled when n8n resumes',
		'n8n/waitingExecution.ts',
		{ 'runs again': (same) => same },
		askAgain,
	);
	row(
		25,
		"`getContext('node')`",
		'n8n/waitingExecution.ts',
		{
			'a copy': other({ getContext: () => ({}) }),
			frozen: other({ getContext: () => Object.freeze({}) }),
		},
		ask,
	);
	row(26, '`getRestApiUrl`', 'n8n/waitingExecution.ts', { gone: gone('getRestApiUrl') }, ask);
	row(
		27,
		'`workflow.settings`',
		'n8n/waitingExecution.ts',
		{ gone: gone('workflow'), 'without the public function': gone('getWorkflowSettings') },
		ask,
	);
});

describe('requests', () => {
	const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
	const send = (item: string): INodeParameters => ({
		resource: 'message',
		operation: 'sendTemplate',
		contactId: chosen('id', item),
		template: chosen('name', 'welcome'),
		templateVariables: variablesOf({ name: 'Anna' }),
	});
	/** Sends a message whose answer is lost. */
	const sendOnce =
		(isLost: boolean): Run =>
		async (alter) => {
			const contacts = addContacts(sandbox, 2);
			if (isLost) sandbox.fail({ match: { method: 'POST' }, kind: { drop: 'afterEffect' } });
			const { error, json } = await runNode(sandbox, {
				...{ parameters: send('={{ $json.id }}'), settings, alter },
				items: contacts.map(({ id }) => ({ id })),
				executionId: nextExecution(),
				runtime: patientRuntime().runtime,
			});
			const counts = contacts.map(
				({ id }) => sandbox.store.sentMessages.filter((each) => each.contact_id === id).length,
			);
			if (counts.some((count) => count > 1)) return `${SILENT}: sent again`;
			if (error)
				return sandbox.store.sentMessages.length === 0 ? refused(error) : said(error.message);
			return json.length === 2 ? WORKS : SILENT;
		};
	type Send = OmitThisParameter<IExecuteFunctions['helpers']['httpRequestWithAuthentication']>;
	const helper =
		(change: (send: Send) => Send): Alter =>
		(context) => {
			const { helpers } = context as IExecuteFunctions;
			const original: Send = async (...given) =>
				await helpers.httpRequestWithAuthentication.call(context as never, ...given);
			return altered(context, {
				helpers: { ...helpers, httpRequestWithAuthentication: change(original) },
			});
		};
	const without = (...names: string[]) =>
		helper((original) => async (type, options, more) => {
			const kept = Object.entries(options).filter(([name]) => !names.includes(name));
			return await original(type, Object.fromEntries(kept) as never, more);
		});
	/** The request arrives, and its answer is lost with such an error. */
	const failing = (error: () => Error) =>
		helper((original) => async (...given) => {
			const { method } = given[1];
			const answer = (await original(...given)) as unknown;
			if (method === 'POST') throw error();
			return answer;
		});
	class OwnError extends Error {}
	const socketOf = (socket: unknown, code: string) =>
		failing(() => {
			const request = { socket, writableFinished: true };
			const cause = Object.assign(new Error(code), { isAxiosError: true, code, request });
			return new Error('n8n', { cause });
		});

	row(
		22,
		'`getExecuteData` is the same object in all tries',
		'operations/engine.ts',
		{
			'a copy': (context) =>
				altered(context, {
					getExecuteData: () => ({ ...(context as unknown as IExecuteFunctions).getExecuteData() }),
				}),
		},
		sendOnce(true),
	);
	row(
		28,
		'the third argument of `httpRequestWithAuthentication`',
		'n8n/n8nTransport.ts',
		{ ignored: helper((original) => async (type, options) => await original(type, options)) },
		sendOnce(false),
	);
	row(
		29,
		'`returnFullResponse`, `encoding`, `ignoreHttpStatusErrors`',
		'n8n/n8nTransport.ts',
		{
			ignored: without('returnFullResponse', 'encoding', 'ignoreHttpStatusErrors'),
			'no stream': without('encoding'),
		},
		sendOnce(false),
	);
	row(
		30,
		'the form of errors (`cause`, `isAxiosError`, `code`)',
		'n8n/n8nTransport.ts',
		{
			'a plain error': failing(() => new Error('n8n', { cause: new Error('closed') })),
			'an own class': failing(() => new Error('n8n', { cause: new OwnError('closed') })),
			'no cause': failing(() => new Error('closed')),
			'a TypeError of fetch': failing(() => new TypeError('fetch failed')),
		},
		sendOnce(false),
	);
	row(
		31,
		"Node's `socket._bytesDispatched` and `request.socket`",
		'n8n/n8nTransport.ts',
		{
			'0 after a write': socketOf({ _bytesDispatched: 0 }, 'ECONNRESET'),
			'no socket after a write': socketOf(null, 'ECONNRESET'),
			gone: socketOf({}, 'ECONNRESET'),
		},
		sendOnce(false),
	);
	row(
		32,
		'a context that can be inherited from',
		'n8n/runs.ts',
		{
			'with private fields': (context) =>
				new Proxy(context, {
					get(target, name, receiver) {
						if (
							name === 'helpers' &&
							receiver !== target &&
							Object.getPrototypeOf(receiver) !== Object.getPrototypeOf(target)
						)
							throw new TypeError('Cannot read private member');
						const value = Reflect.get(target, name, target) as unknown;
						return typeof value === 'function' ? (value.bind(target) as unknown) : value;
					},
				}),
		},
		sendOnce(false),
	);
});

describe('agents', () => {
	/** An agent asks n8n's engine to run Send Campaign, which is not for agents. */
	const sendCampaign: Run = async (alter) => {
		const [{ id }] = addContacts(sandbox, 1, { opt_in_status: 'confirmed' });
		const { error } = await runNode(sandbox, {
			...{ parameters: campaign(), alter, items: [{ id, toolCallId: 'call' }] },
			runtime: patientRuntime().runtime,
		});
		return error && sandbox.requests.length === 0 ? refused(error) : SILENT;
	};
	const asTool =
		(type: string, metadata?: object): Alter =>
		(context) => {
			const { getNode, getExecuteData } = context as IExecuteFunctions;
			return altered(context, {
				getNode: () => ({ ...getNode.call(context), type }),
				getExecuteData: () => ({ ...getExecuteData.call(context), metadata }),
			});
		};
	row(
		33,
		'the end `Tool` of the name of a node type',
		'n8n/agents.ts',
		{
			'as today': asTool('n8n-nodes-workspace-crm.workspaceCrmTool'),
			'another end': asTool('n8n-nodes-workspace-crm.workspaceCrmForAgents', {
				preserveSourceOverwrite: true,
			}),
		},
		sendCampaign,
	);
	/** An agent calls the node as a function. */
	const call: Run = async (alter) => {
		const contact = addContact(sandbox);
		const { error } = await runNode(sandbox, {
			parameters: { resource: 'contact', operation: 'delete', contactId: chosen('id', contact.id) },
			alter: (context) =>
				alter(
					altered(context, {
						getExecuteData: () => ({ ...context.getExecuteData(), node: { name: 'Agent' } }),
					}),
				),
			items: [{ Contact: contact.id }],
			runtime: patientRuntime().runtime,
		});
		return error && sandbox.requests.length === 0 ? refused(error) : SILENT;
	};
	row(
		34,
		'`$fromAI` of `getWorkflowDataProxy`',
		'n8n/agents.ts',
		{ gone: other({ getWorkflowDataProxy: () => ({ $runIndex: 0 }) }) },
		call,
	);
	/** The user stops a run; n8n tells it by the word "canceled". */
	const stop: Run = async () => {
		expect(ExecuteContext).toBeDefined();
		const end = new AbortController();
		end.abort();
		const contact = addContact(sandbox);
		const { error } = await runNode(sandbox, {
			parameters: { resource: 'contact', operation: 'get', contactId: chosen('id', contact.id) },
			alter: other({ getExecutionCancelSignal: () => end.signal }),
		});
		return error && sandbox.requests.length === 0 ? said(error.message) : SILENT;
	};
	row(
		35,
		'the word "canceled" in an error',
		'n8n/runs.ts',
		{ 'not recognized': (same) => same },
		stop,
	);
});

test('docs/dev/n8n-internals.md says what happens', () => {
	const lines = [...rows.entries()]
		.sort(([a], [b]) => a - b)
		.map(([number, { internal, file, outcomes }]) => {
			const all = [...namesBy(outcomes)].map(
				([outcome, names]) => `${names.join(', ')}: ${outcome}`,
			);
			return `| ${number} | ${internal} | ${file} | ${all.join('<br>')} |`.replaceAll(' | |', ' |');
		});
	const page = `${HEAD}\n\n| | Of n8n | Read in | If it is other than today |\n|---|---|---|---|\n${lines.join('\n')}\n`;
	if (process.env.UPDATE_DOCS) fs.writeFileSync(PAGE, page);
	expect(rows.size).toBe(35);
	expect(fs.readFileSync(PAGE, 'utf8')).toBe(page);
});

/** Changes of n8n that end alike are listed together. */
function namesBy(outcomes: Map<string, string>): Map<string, string[]> {
	const names = new Map<string, string[]>();
	for (const [name, outcome] of outcomes) {
		names.set(outcome, [...(names.get(outcome) ?? []), name]);
	}
	return names;
}

const PAGE = 'docs/dev/n8n-internals.md';
const HEAD = `# What of n8n's inside the nodes use

n8n promises none of this. If a new version changes it, this is what happens. \`test/workflow/tomorrow.test.ts\` tries it
and writes this page: \`UPDATE_DOCS=1 npx jest test/workflow/tomorrow\`.`;
