import { SEND_AND_WAIT_OPERATION } from 'n8n-workflow';

import { InputProblem } from '../../domain/problem';
import { approvalText, toolKind, workflowTimeoutMs } from '../../n8n/waitingExecution';
import { defineOperation } from '../../operations/define';
import { askAndWait } from '../../wait/askAndWait';
import { outputWithoutReply } from '../../wait/replyOutput';
import { readWaitLimit } from '../../wait/waitLimit';
import { readContactId } from '../contactId';
import { assertInBody, textOf, withMessage } from './messageText';
import { explainConflict, prepareMessage } from './templateMessage';
import { sendAndWaitFields } from './waitFields';

export const sendAndWait = defineOperation({
	// n8n knows such operations by this value.
	value: SEND_AND_WAIT_OPERATION,
	name: 'Send Template and Wait for Response',
	action: 'Send template and wait for response',
	description: 'Send an approved template, then wait until the contact replies or the time is over',
	hints: [
		{
			message:
				"One contact at a time. While it waits, the node takes up one of the workspace's 20 webhook subscriptions. Execute step sends a real message.",
		},
		{
			message: 'No reply in time is no approval: then replied and approved are false.',
		},
	],
	effect: 'once',
	fields: sendAndWaitFields,
	waits: true,

	async execute(api, params, { context, runtime }) {
		const { waitFor: event, options } = params;
		const isApproval = toolKind(context) === 'approval';
		if (isApproval && event === 'form.submitted') throw formIsNoApproval();
		const untilMs = readWaitLimit(params, {
			nowMs: runtime.clock.now(),
			timeZone: context.getTimezone(),
			workflowTimeoutMs: workflowTimeoutMs(context),
		});
		const message = (isApproval && approvalText(context)) || params.message;
		const withText = withMessage({ ...params, message });
		const prepared = await prepareMessage(api, withText);
		const { contact, send } = prepared;
		assertInBody(prepared, textOf(withText));
		const contactId = readContactId(contact.id);
		const { approvalWords = DEFAULT_APPROVAL_WORDS, simplify = true } = options;
		const awaited = { event, contactId, approvalWords, simplify, isApproval };
		await askAndWait(context, api, runtime, {
			...awaited,
			untilMs,
			ask: async (onSend) => void (await send({ onSend }).catch(explainConflict(api, contact))),
			outputAtEnd: outputWithoutReply(awaited),
		});
		// n8n drops what comes out now.
		return {};
	},
});

const DEFAULT_APPROVAL_WORDS = ['yes', 'ok', 'approve'];

function formIsNoApproval(): InputProblem {
	return new InputProblem(
		'A form cannot approve a tool call',
		"No message was sent. Set 'Wait For' to 'Message': a person approves by writing one of the approval words.",
	);
}
