import type {
	IDataObject,
	IExecuteFunctions,
	IWebhookFunctions,
	IWorkflowSettings,
} from 'n8n-workflow';

import { InputProblem } from '../domain/inputProblem';
import { runIndexOf } from './runs';

/** The key in the context data of a node, which n8n stores with the execution. */
const KEY = 'wait';

/**
 * The URL that calls `webhook` of this node while the execution waits. Its signature covers the path and
 * all parameters, so nothing may be added later (n8n/webhooks/waiting-webhooks, seen in 2.41). Older
 * versions lack this function, and n8n throws for an execution without an ID
 * (n8n-core/execution-engine/node-execution-context, seen in 2.41).
 *
 * @throws InputProblem if n8n provides no such URL
 */
export function resumeUrl(
	context: IExecuteFunctions | IWebhookFunctions,
	parameters: Record<string, string>,
): string {
	const { getSignedResumeUrl } = context as Partial<IExecuteFunctions>;
	if (typeof getSignedResumeUrl !== 'function' || typeof context.getExecutionId() !== 'string') {
		throw new InputProblem(
			CANNOT_WAIT,
			'No message was sent. n8n provides no URL to resume this execution. Run it as a workflow, in n8n 1.123 or newer.',
		);
	}
	const url: unknown = getSignedResumeUrl.call(context, parameters);
	// Without a signature, anybody could reply, and read what is sealed with it.
	if (typeof url === 'string' && /[?&]signature=[^&#]/.test(url)) return url;
	throw waitsOtherwise();
}

const CANNOT_WAIT = 'This execution cannot wait for a reply';

/** What we know of n8n is no longer so. */
function waitsOtherwise(): InputProblem {
	return new InputProblem(
		CANNOT_WAIT,
		'No message was sent. This version of n8n puts executions to wait in a way that this node does not know. Use a version that the documentation of this node names, or a newer version of this node.',
	);
}

/**
 * n8n signs the resume URL with the path of its own address, as in https://example.com/n8n/, but checks the
 * path that arrives. A proxy removes it, because n8n answers under no path (`validateSignature` in n8n/webhooks/
 * waiting-webhooks, seen in 2.41). N8N_ENDPOINT_WEBHOOK_WAIT may have a path: n8n does answer there.
 *
 * @throws InputProblem if n8n would refuse every reply
 */
export function assertResumable(context: IExecuteFunctions, url: string): void {
	const { getRestApiUrl } = context as Partial<IExecuteFunctions>;
	if (typeof getRestApiUrl !== 'function') throw waitsOtherwise();
	const [first, ...parts] = foldersOf(url);
	const [other] = foldersOf(getRestApiUrl.call(context));
	if (parts.length < 3 || first !== other) return;
	throw new InputProblem(
		`This execution cannot wait for a reply, because the address of n8n has the path /${first}`,
		'No message was sent. n8n would refuse every reply, because it signs the URL for the reply with this path, and the proxy in front of n8n removes it. Give n8n an address without a path, such as a subdomain of its own, in N8N_WEBHOOK_URL (WEBHOOK_URL in older versions).',
	);
}

function foldersOf(url: string): string[] {
	const path = url.replace(/[?#].*/s, '');
	return path.split('/').slice(3).filter(Boolean);
}

/**
 * Stores a text with the execution, where it survives the wait. Read it with `readStoredText`.
 *
 * @throws InputProblem if n8n does not keep it
 */
export function storeText(context: IExecuteFunctions, text: string): void {
	const isSet = Reflect.set(context.getContext('node'), KEY, text);
	if (!isSet || context.getContext('node')[KEY] !== text) throw waitsOtherwise();
}

/**
 * Returns the text that `storeText` stored; empty if there is none. A webhook can reach it only through an
 * expression. The expression contains the name of the node with each character escaped, because `}}`
 * would end it (n8n-workflow/workflow-data-proxy, seen in 2.41).
 */
export function readStoredText(context: IWebhookFunctions): string {
	const units = context.getNode().name.split('');
	const name = units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
	const kept = context.evaluateExpression(`{{ $("${name.join('')}").context["${KEY}"] }}`);
	return typeof kept === 'string' ? kept : '';
}

/** The key of the run that has waited, in the same context data. */
const WAITED = 'waited';

/**
 * n8n's next engine ignores `putExecutionToWait`: the workflow would go on at once. Only there, executions have no
 * lifecycle hooks (`buildAdditionalData` in n8n/modules/engine-v2, seen in 2.41; n8n-core asserts them everywhere
 * else). And where n8n resumes an execution and runs this node once more, it must not ask again.
 *
 * @throws InputProblem if n8n would not wait, or has done so for this run of the node
 */
export function assertWaits(context: IExecuteFunctions): void {
	const { additionalData } = context as { additionalData?: { hooks?: unknown } };
	if (additionalData && !additionalData.hooks) {
		throw new InputProblem(
			CANNOT_WAIT,
			"No message was sent. n8n's Engine 2.0, which runs this workflow, cannot wait for a reply yet. Switch it off in the workflow's settings.",
		);
	}
	if (context.getContext('node')[WAITED] === runOf(context)) throw waitsOtherwise();
}

function runOf(context: IExecuteFunctions): string {
	return `${context.getExecutionId()} ${runIndexOf(context)}`;
}

/** An execution that is ready to wait. */
interface ReadyToWait {
	/** Puts it to wait. */
	begin: (untilMs: number) => Promise<void>;
	/** Makes it as it was, so that another try of the node gets its input. */
	undo: () => void;
}

/**
 * Prepares the entry of this node on n8n's stack, before anything is sent.
 *
 * When n8n resumes, it disables the node of the entry, does not call it again, and outputs the entry's data: the
 * reply, or at the timeout what is here now, the input (`handleWaitingState` and `handleDisabledNode` in
 * n8n-core/execution-engine/workflow-execute, `disableNode` in n8n/webhooks/waiting-webhooks, seen in 2.41). So
 * the timeout output replaces the input. And the entry gets a node object of its own: all entries of a node share
 * one, so the others would be skipped as disabled, and leave as they came, with whatever approval they claim.
 *
 * @throws InputProblem if n8n would not do so
 */
export function readyToWait(context: IExecuteFunctions, outputAtEnd: IDataObject): ReadyToWait {
	const entry = context.getExecuteData();
	const before = { node: entry.node, data: entry.data };
	const ours = {
		node: { ...entry.node },
		data: { main: [[{ json: outputAtEnd, pairedItem: { item: 0 } }]] },
	};
	const isSet = Object.entries(ours).every(([name, value]) => Reflect.set(entry, name, value));
	const now = context.getExecuteData();
	const undo = () => void Object.assign(entry, before);
	const isReady = isSet && now === entry && now.node === ours.node && now.data === ours.data;
	if (isReady && typeof context.putExecutionToWait === 'function') {
		return {
			undo,
			begin: async (untilMs) => {
				await context.putExecutionToWait(new Date(untilMs));
				Reflect.set(context.getContext('node'), WAITED, runOf(context));
			},
		};
	}
	for (const [name, value] of Object.entries(before)) Reflect.set(entry, name, value);
	throw waitsOtherwise();
}

/**
 * The workflow's timeout in milliseconds; undefined if it has none. n8n 2.0 has no function for the settings, but
 * keeps them here (n8n-core/execution-engine/node-execution-context, seen in 2.0.3).
 */
export function workflowTimeoutMs(context: IExecuteFunctions): number | undefined {
	const { workflow, getWorkflowSettings } = context as Partial<
		Pick<IExecuteFunctions, 'getWorkflowSettings'> & { workflow: { settings?: IWorkflowSettings } }
	>;
	const settings = getWorkflowSettings?.call(context) ?? workflow?.settings;
	const { executionTimeout = 0 } = settings ?? {};
	return executionTimeout > 0 ? executionTimeout * 1_000 : undefined;
}
