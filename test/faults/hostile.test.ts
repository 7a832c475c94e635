import fc from 'fast-check';
import { NodeError, WorkflowOperationError } from 'n8n-workflow';

import { operations } from '../support/operations';
import { delay } from '../../tools/support/platform';
import { runNode, type NodeResult } from '../../tools/engine/runNode';
import {
	addContacts,
	addSubscription,
	patientRuntime,
	textsIn,
	useSandbox,
} from '../workflow/support';
import { operationCases } from '../operationCases';
import { isAllowed } from './endpoints';
import { originsOf } from './oracle';
import { drawRun, type HostileRun } from './hostileParameters';
import { EVALUATED } from './hostileValues';

const apiKey = 'key-that-must-stay-secret';
const signingSecret = 'signing-secret-that-must-stay-secret';
const sandbox = useSandbox({ apiKey, limiter: { kind: 'off' } });

const RUNS = 12;
const ITEMS = 5;
const PATIENCE_MS = 20_000;
/** Fixed, so that a failure can be reproduced. */
const SEED = 20_261_121;

function furnish(): void {
	sandbox.reset();
	addContacts(sandbox, 3, { tags: ['vip'] });
	const [contact] = addContacts(sandbox, 1, {
		id: '3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a60',
		phone: '+491512345678',
		tags: ['vip'],
	});
	sandbox.store.recordConsent(contact, true, null);
	addSubscription(sandbox, { id: 'sub_0', url: 'https://example.com/old', secret: signingSecret });
}

/** Undefined if n8n itself refuses to run the saved node. */
async function run({ parameters, items }: HostileRun): Promise<NodeResult | undefined> {
	const { runtime } = patientRuntime();
	const onError = 'continueErrorOutput';
	const result = await Promise.race([
		runNode(sandbox, { parameters, items, runtime, onError }).catch(refusedByN8n),
		delay(PATIENCE_MS, 'late', { ref: false }),
	]);
	if (result === 'late') throw new Error('The run did not end');
	return result as NodeResult | undefined;
}

function refusedByN8n(error: unknown): undefined {
	if (error instanceof WorkflowOperationError) return undefined;
	// n8n's own check of a node crashes if a saved resource locator is null.
	if (error instanceof TypeError && error.stack?.includes('checkForWorkflowIssues'))
		return undefined;
	throw error;
}

/** Every item is on one of the outputs, or the whole run failed with an error that says why. */
function expectAccounted(
	operation: string,
	itemCount: number,
	{ output, failedOutput, error }: NodeResult,
): void {
	if (error) {
		expect(error.message).toBeTruthy();
		expect(error).toBeInstanceOf(NodeError);
		return;
	}
	// Several output items may each belong to all input items.
	const origins = (list: NodeResult['output']) =>
		list.some(({ pairedItem }) => Array.isArray(pairedItem))
			? [...new Set(list.flatMap(originsOf))]
			: list.flatMap(originsOf);
	const [well, failed] = [origins(output), origins(failedOutput)];
	expect(new Set(failed).size).toBe(failed.length);
	expect(well.filter((item) => failed.includes(item))).toEqual([]);
	for (const { json } of failedOutput) expect(String(json.error)).not.toBe('');
	// A list can be empty; its item then has no output.
	if (/get(All|Contacts)$/.test(operation)) return;
	expect([...well, ...failed].sort()).toEqual(Array.from({ length: itemCount }, (_, item) => item));
}

describe.each(operations)('$resource $operation', ({ resource, operation }) => {
	const name = `${resource} ${operation}`;
	// An operation that waits accepts one item only.
	const itemCount = operationCases[name].waits ? 1 : ITEMS;

	async function expectHarmless(hostile: HostileRun): Promise<void> {
		furnish();
		const result = await run(hostile);
		if (!result) return expect(sandbox.requests).toEqual([]);
		expectAccounted(name, itemCount, result);
		const strange = sandbox.requests.filter((request) => !isAllowed(name, request));
		expect(strange.map(({ method, path, query }) => ({ method, path, query }))).toEqual([]);
		const texts = textsIn(result);
		expect(texts.filter((text) => text.includes(apiKey))).toEqual([]);
		expect(texts.filter((text) => text.includes(signingSecret))).toEqual([]);
		expect(texts.filter((text) => text.includes(EVALUATED))).toEqual([]);
		expect(Object.keys(Object.prototype)).toEqual([]);
	}

	test('handles hostile values without harm', async () => {
		const property = fc.asyncProperty(fc.gen(), async (draw) => {
			await expectHarmless(drawRun(draw, resource, operation, itemCount));
		});
		await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: true });
	});
});
