import { ExecuteContext } from 'n8n-core';
import type { IExecuteFunctions, INodeParameters } from 'n8n-workflow';

import { runNode } from '../../tools/engine/runNode';
import { fs, process } from '../../tools/support/platform';
import { altered } from '../support/altered';
import { ofFeatures } from '../support/features';
import { addContact, addContacts, chosen, patientRuntime, variablesOf } from './support';
import type { TriggerHostOptions } from './triggerHost';
import { startTrigger } from './triggerSetup';
import {
	sandbox,
	other,
	gone,
	WORKS,
	SILENT,
	refused,
	lost,
	said,
	row,
	nextExecution,
	type Alter,
	type Run,
	rows,
	type Row,
} from './tomorrowRows';

ofFeatures('tomorrow');

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

describe('requests', () => {
	const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
	const send = (item: string): INodeParameters => ({
		resource: 'message',
		operation: 'sendTemplate',
		contactId: chosen('id', item),
		template: chosen('name', 'welcome'),
		templateVariables: variablesOf({ name: 'Anna' }),
		options: { sendBlankVariables: true },
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
	const withoutHelper: Alter = (context) => {
		const { additionalData } = context as unknown as { additionalData?: object };
		return altered(context, {
			additionalData: { ...additionalData, credentialsHelper: undefined },
		});
	};
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
	row(
		37,
		'`additionalData.credentialsHelper`',
		'n8n/credentials.ts',
		{ gone: withoutHelper },
		sendOnce(false),
	);
});

describe('agents', () => {
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
	const sorted = [...rows.entries()].sort(([a], [b]) => a - b).map(([, row]) => row);
	const isHarmless = ({ outcomes }: Row) => [...outcomes.values()].every((each) => each === WORKS);
	const lines = sorted
		.filter((row) => !isHarmless(row))
		.map(({ internal, file, outcomes }) => {
			const all = [...namesBy(outcomes)].map(
				([outcome, names]) => `**${names.join(', ')}**: ${outcome}`,
			);
			return `- ${internal} (${file}). ${all.join('. ')}.`;
		});
	const harmless = sorted.filter(isHarmless).map(({ internal }) => internal);
	const last = `Everything works if these change: ${harmless.join('; ')}.`;
	const page = `${HEAD}\n\n${lines.join('\n')}\n\n${last}\n`;
	if (process.env.UPDATE_DOCS) fs.writeFileSync(PAGE, page);
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

n8n promises none of this. Each line has what the nodes use, and the file that reads it; in bold, how a new version of n8n
may differ; and what happens then. \`UPDATE_DOCS=1 npx jest test/workflow/tomorrow\` tries it and writes this page.`;
