import type { IPollFunctions } from 'n8n-workflow';

import { InputProblem, rethrow } from '../domain/inputProblem';
import { MAX_POLL_MS } from '../domain/timeLimits';

/**
 * The time budget of a poll: what n8n says, but no more than ours. With its durable scheduler, n8n drops later
 * results. Older versions lack this function (`getExecutePollFunctions` in n8n/workflows/triggers/
 * trigger-execution-context.factory, seen in 2.41).
 */
export function pollBudgetMs(context: IPollFunctions): number {
	const said = saidBy(context, 'getPollBudgetMs');
	const isBudget = typeof said === 'number' && said > 0;
	return isBudget ? Math.min(said, MAX_POLL_MS) : MAX_POLL_MS;
}

type Emit = IPollFunctions['__emit'];
type DonePromise = NonNullable<Parameters<Emit>[2]>;

/** n8n's own function for each of ours that replaces it: so that ours never calls ours. */
const replaced = new WeakMap<Emit, Emit>();

/** The events of a poll on their way to n8n. */
export interface HandOver {
	/** Called just before n8n saves static data. Returns false if n8n must not get the events. */
	take: () => boolean;
	/** Called once after `take`, with whether n8n has started the workflow. */
	end: (hasStarted: boolean) => void;
}

/**
 * Calls back when n8n takes the events of a poll. It discards those of a workflow that was published or unpublished
 * meanwhile (`PollTriggerExecutor` in n8n-core/execution-engine). Otherwise it calls `__emit`, which saves static
 * data, then starts the workflow (`getExecutePollFunctions` in n8n/workflows/triggers/
 * trigger-execution-context.factory, both seen in 2.41).
 *
 * @returns false if n8n will not call back
 */
export function whenTaken(context: IPollFunctions, handOver: HandOver): boolean {
	const current: unknown = context.__emit;
	if (typeof current !== 'function') return false;
	const emit = replaced.get(current as Emit) ?? (current as Emit);
	const ours: Emit = (data, responsePromise, donePromise) => {
		context.__emit = emit;
		if (!handOver.take()) return;
		let isOpen = true;
		const end = (hasStarted: boolean) => {
			if (isOpen) handOver.end(hasStarted);
			isOpen = false;
		};
		const done = donePromise ?? promiseOfEnd(context);
		// Here, or n8n's AsyncLocalStorage would not know the poll any more.
		void done?.promise.then(
			(run) => end(run !== undefined),
			(error: unknown) => end(hasExecution(error)),
		);
		try {
			emit.call(context, data, responsePromise, done);
		} catch (error) {
			end(false);
			rethrow(error);
		}
		if (!done) end(true);
	};
	replaced.set(ours, emit);
	if (Reflect.set(context, '__emit', ours) && context.__emit === ours) return true;
	Reflect.set(context, '__emit', emit);
	return false;
}

/**
 * n8n settles it at the end of the execution, or if it cannot start one. Versions without `__runPoll`, before
 * 2.36, report an unhandled rejection in the second case.
 */
function promiseOfEnd({ __runPoll }: IPollFunctions): DonePromise | undefined {
	if (typeof __runPoll !== 'function') return undefined;
	const settle = {} as Pick<DonePromise, 'resolve' | 'reject'>;
	const promise: DonePromise['promise'] = new Promise((resolve, reject) => {
		Object.assign(settle, { resolve, reject });
	});
	return { ...settle, promise };
}

/** Whether an error is that of an execution: one that was cancelled or took too long had started. */
function hasExecution(error: unknown): boolean {
	const { extra } = (error ?? {}) as { extra?: { executionId?: unknown } | null };
	return extra?.executionId !== undefined;
}

/** The contexts of publishings whose first poll has succeeded. */
export const begunPublishings = new WeakSet<IPollFunctions>();

/**
 * Whether this is the first poll since an unpublished workflow was published. Without the durable
 * scheduler, all polls until the next start share one context, and so the activation mode of the first
 * (`activatePollTrigger` in n8n-core/execution-engine/active-workflow-triggers, seen in 2.41).
 */
export function isFirstAfterPause(context: IPollFunctions): boolean {
	return saidBy(context, 'getActivationMode') === 'activate' && !begunPublishings.has(context);
}

/**
 * Without them, changes of a pause, or those before an import into another n8n, would start the workflow.
 *
 * @throws InputProblem if n8n does not say how the workflow was published, or which n8n it is
 */
export function assertIdentified(context: IPollFunctions): void {
	const said = [saidBy(context, 'getActivationMode'), saidBy(context, 'getInstanceId')];
	if (said.every((each) => typeof each === 'string' && each !== '')) return;
	throw new InputProblem(
		'This version of n8n does not say how the workflow was published, or which n8n this is',
		'Use a version of n8n that the documentation of this package names.',
	);
}

function saidBy(
	context: IPollFunctions,
	name: 'getActivationMode' | 'getInstanceId' | 'getPollBudgetMs',
): unknown {
	try {
		return context[name]();
	} catch {
		return undefined;
	}
}
