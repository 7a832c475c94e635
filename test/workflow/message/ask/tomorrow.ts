import type {
	IExecuteFunctions,
	INodeParameters,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

import { runNode, type NodeRun } from '../../../../tools/engine/runNode';
import { delay } from '../../../../tools/support/platform';
import { altered } from '../../../support/altered';
import { addContact, chosen, contactId, patientRuntime, variablesOf } from '../../support';
import { WaitingNode } from './waitingNode';
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
} from '../../tomorrowRows';

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
		const waiting = new WaitingNode(sandbox, question(), run, undefined, alter);
		const [silent] = await waiting.timeOut();
		if (silent.approved !== false || silent.replied !== false) return `${SILENT}: silence is a yes`;
		const [subscription] = sandbox.store.subscriptions.values();
		const reply = await waiting.deliver(subscription, {
			...{ id: 'evt', event: 'message.received', created_at: sandbox.store.nowIso() },
			data: { contact: { id: contactId }, message: { type: 'text', text: 'Yes' } },
		});
		await delay(20);
		if (!reply && waiting.log.length > 0) return lost(waiting.log[0]);
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
	row(
		36,
		'`$("…").context` of an expression',
		'n8n/waitingExecution.ts',
		{ gone: other({ evaluateExpression: () => undefined }) },
		ask,
	);
});
