import {
	SEND_AND_WAIT_OPERATION,
	type IExecuteFunctions,
	type IWebhookDescription,
} from 'n8n-workflow';

import type { Api } from '../../../crm/client';
import { InputProblem, quoted } from '../../../domain/inputProblem';
import { approvalText, calledWith, toolKind } from '../../../n8n/agents';
import { assertWaits, workflowTimeoutMs } from '../../../n8n/waitingExecution';
import { defineOperation, type Output, type Run } from '../../../operations/define';
import { choice, count, dateTime, text } from '../../../operations/fieldBuilders';
import type { Field, Params } from '../../../operations/fieldKinds';
import { Cell } from '../../../operations/cell';
import { simplifyField } from '../../../operations/sharedFields';
import { askAndWait } from './askAndWait';
import { outputWithoutReply, receiveReply, type Answer } from './receiveReply';
import { readWaitLimit } from './waitLimit';
import { contactFields, findContact, namedBy } from '../../fields/contactReference';
import { bodyOptionsField } from '../../fields/requestBody';
import { checkMessage } from '../templateCheck';
import {
	messageBodyOptions,
	messageFields,
	readMessage,
	variableOptions,
} from '../templateMessage';

/**
 * Receives the service's deliveries while an execution waits. n8n registers nothing for it, because the
 * URL names the execution and the node. So it needs no `webhookMethods`; the node creates the
 * subscription when it runs.
 */
const webhooks: IWebhookDescription[] = [
	{
		name: 'default',
		httpMethod: 'POST',
		responseMode: 'onReceived',
		responseData: 'noData',
		path: '={{ $nodeId }}',
		restartWebhook: true,
		isFullPath: true,
	},
];

const tooltip = `={{ $parameter["operation"] === "${SEND_AND_WAIT_OPERATION}" ? "Execution will continue when the contact replies" : "" }}`;

const APPROVAL_WORDS = ['yes', 'ok', 'approve', '👍'];

const interval = { limitType: ['afterTimeInterval'] } as const;

/** The fields of the limit have the names that n8n uses. */
const sendAndWaitFields = [
	...contactFields,
	...messageFields,
	choice('Limit Wait Time', 'limitType', 'afterTimeInterval', {
		description: 'When to go on without a reply. 30 days at most.',
		options: [
			{ name: 'After Time Interval', value: 'afterTimeInterval' },
			{ name: 'At Specified Time', value: 'atSpecifiedTime' },
		],
	}),
	count('Amount', 'resumeAmount', 1, {
		description:
			'The longest time to wait, at least two minutes. n8n goes on up to a minute later.',
		showWhen: interval,
	}),
	choice('Unit', 'resumeUnit', 'days', {
		options: [
			{ name: 'Days', value: 'days' },
			{ name: 'Hours', value: 'hours' },
			{ name: 'Minutes', value: 'minutes' },
		],
		showWhen: interval,
	}),
	dateTime('Max Date and Time', 'maxDateAndTime', {
		description: "Until when to wait, in the workflow's time zone",
		showWhen: { limitType: ['atSpecifiedTime'] },
	}),
	{
		...bodyOptionsField,
		options: [
			{
				displayName: 'Approval Words',
				name: 'approvalWords',
				type: 'string',
				default: APPROVAL_WORDS.join(', '),
				// Without a word, nobody could approve.
				required: true,
				description: `The only replies that count as a yes (comma-separated): then 'approved' in the output is true. The whole reply must be one of them; upper and lower case, a mark at its end and a 👍 behind it do not matter. If this option is not added: ${APPROVAL_WORDS.join(', ')}.`,
				hint: 'Tell people in the question what to answer. Add words of their language.',
				accepts: 'names',
			},
			text('Message Variable', 'messageVariable', {
				placeholder: 'e.g. 1',
				description:
					"For the human review of an AI agent's tools: the variable of the template for the text of the approval request. Line breaks become spaces.",
				mayBeNothing: true,
			}),
			...variableOptions,
			simplifyField,
			choice('Wait For', 'waitFor', 'message.received', {
				description:
					'What ends the wait: the first message from the contact, whatever it says (a pressed button counts only if the CRM reports it as a message), or the first form (flow) that the contact completes',
				options: [
					{ name: 'Form', value: 'form.submitted' },
					{ name: 'Message', value: 'message.received' },
				],
			}),
			...messageBodyOptions,
		],
	},
] as const satisfies readonly Field[];

const NOT_ASKED = {
	reply: null,
	replied: false,
	timed_out: false,
	answer: 'none' satisfies Answer,
	approved: false,
	respondedAt: null,
};

export const sendAndWait = defineOperation({
	// n8n recognizes such operations by this value.
	value: SEND_AND_WAIT_OPERATION,
	name: 'Send Template and Wait for Response',
	action: 'Send template and wait for response',
	description: 'Send an approved template, then wait until the contact replies or the time is over',
	hints: [
		{
			message:
				'More than one contact in the input ends in an error, and nothing is sent. A workspace can have 20 open questions and published triggers together. Execute step sends a real message, also to a contact that has not confirmed.',
		},
		{
			message:
				"'answer' is yes only if the whole reply is an approval word: yes, ok, approve or 👍, unless 'Approval Words' gives others. Then 'approved' is true. After 'no' and any other text, such as 'yes please', it is other: see 'reply'. If nobody replies in time, it is none. Put a Switch on 'answer', and tell people in the question what to answer.",
			always: true,
		},
	],
	effect: 'once',
	fields: sendAndWaitFields,
	wait: { webhooks, tooltip, receive: receiveReply },
	// The item may carry the reply to an earlier question.
	ifFailed: () => NOT_ASKED,

	// An agent may call a tool with several items, but n8n waits only once per run.
	takes: 'first',
	assertCanRun: assertCanWait,
	execute: ask,
});

type AskParams = Params<typeof sendAndWaitFields>;

/** Sends the message, and puts the execution to wait. */
async function ask(api: Api, params: AskParams, { context, runtime }: Run): Promise<Output> {
	const { options } = params;
	const { approvalWords = APPROVAL_WORDS, simplify = true } = options;
	const { waitFor: event = 'message.received' } = options;
	const isApproval = toolKind(context) === 'approval';
	const untilMs = readWaitLimit(params, {
		nowMs: runtime.clock.now(),
		timeZone: context.getTimezone(),
		workflowTimeoutMs: workflowTimeoutMs(context),
	});
	const approval = isApproval ? readApproval(context, options) : undefined;
	const variables = [options.variables ?? [], approval ?? []].flat();
	const message = { ...params, options: { ...options, variables } };
	const read = readMessage(api, message, { contact: true, text: approval?.value });
	namedBy(params);
	const prepareFor = await checkMessage(api, read);
	const contact = await findContact(api, params);
	const { send } = await prepareFor(contact);
	const awaited = { event, contactId: contact.id, approvalWords, simplify, isApproval };
	const outputAtEnd = outputWithoutReply(awaited);
	await askAndWait(context, api, { ...awaited, untilMs, ask: send, outputAtEnd });
	// n8n ignores it, unless it goes on at once: then there is no reply.
	return outputAtEnd;
}

/**
 * n8n waits once for each run of a node, whatever number of items it has.
 *
 * @throws InputProblem if n8n cannot wait here, or would handle only one of several items
 */
function assertCanWait(context: IExecuteFunctions): void {
	if (calledWith(context)) {
		throw new InputProblem(
			'This agent cannot wait for a reply',
			'No message was sent. n8n runs the tools of this agent in a way that cannot wait. Use the newest version of the AI Agent node.',
		);
	}
	assertWaits(context);
	const { length: count } = context.getInputData();
	if (count <= 1 || toolKind(context)) return;
	throw new InputProblem(
		`This node received ${count} items, but can wait for only one contact at a time`,
		"No message was sent. Put a 'Loop Over Items' node with batch size 1 before this node, to ask one contact after the other. To ask many at once, see the example ask-many.json in the documentation of this node.",
	);
}

/**
 * Reads the approval text as a variable of the template. Messaging platforms refuse variables with line
 * breaks or repeated spaces, so each becomes a single space.
 *
 * @throws InputProblem if the wait is for a form, the text has no variable, or the text is empty or a part of
 * it is no value
 */
function readApproval(
	context: IExecuteFunctions,
	{ messageVariable = '', waitFor }: { messageVariable?: string; waitFor?: string },
) {
	const name = messageVariable;
	const { saved, text } = approvalText(context);
	const message = new Cell(text, {
		saved,
		label: 'Message',
		needsAllParts: true,
		evaluate: (expression) => context.evaluateExpression(expression, 0),
	});
	const value = String(message.given() ?? '')
		.replace(/\s+/gu, ' ')
		.trim();
	if (waitFor === 'form.submitted') {
		throw new InputProblem(
			'A form cannot approve a tool call',
			"No message was sent. Under 'Options', set 'Wait For' to 'Message': a person approves by writing one of the approval words.",
		);
	}
	if (name === '') {
		throw new InputProblem(
			"No variable of the template contains 'Message'",
			"No message was sent. Under 'Options', set 'Message Variable' to the variable of the template for this text.",
		);
	}
	if (value === '') {
		throw new InputProblem(
			`'Message' is ${quoted(value)}, so nobody could know what to approve`,
			'No message was sent. In its expression, write an object as text: {{ JSON.stringify($json.order) }}.',
		);
	}
	return { name, value };
}
