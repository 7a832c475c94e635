import type { INodeParameters } from 'n8n-workflow';

import { createRuntime } from '../../../../nodes/WorkspaceCrm/crm/connection';
import { runNode } from '../../../../tools/engine/runNode';
import type { Fault } from '../../../../tools/sandbox';
import {
	addContact,
	chosen,
	contactId,
	jumpingClock,
	useSandbox,
	variablesOf,
} from '../../support';
import { WaitingNode } from './waitingNode';

/** Which replies were written after the question, by the clock of the service. */
const clock = jumpingClock();
let aheadMs = 0;
const serviceClock = { ...clock, now: () => clock.now() + aheadMs };
const sandbox = useSandbox({ limiter: { kind: 'off' }, clock: serviceClock });
beforeEach(() => void addContact(sandbox, { id: contactId }));

const parameters: INodeParameters = {
	resource: 'message',
	operation: 'sendAndWait',
	contactId: chosen('id', contactId),
	template: chosen('name', 'question'),
	templateVariables: variablesOf({ question: 'May we?' }),
};

const slowly = (method: string, path: RegExp, delayMs = 8_000): Fault => ({
	match: { method, path },
	kind: {
		async rewrite(payload) {
			await clock.sleep(delayMs);
			return payload;
		},
	},
});

const inWholeSeconds: Fault = {
	match: { method: 'POST', path: /subscriptions/ },
	kind: { rewrite: (payload) => payload.replace(/\.\d{3}Z/, 'Z') },
};

/** Asks, and returns whether a yes counts that was written so long after the answer to the question. */
async function ask(...faults: Fault[]) {
	for (const fault of faults) sandbox.fail(fault);
	const runtime = createRuntime(clock);
	const { run, error } = await runNode(sandbox, { parameters, runtime });
	expect(error).toBeUndefined();
	const sentMs = serviceClock.now();
	const waiting = new WaitingNode(sandbox, parameters, run, runtime);
	const [subscription] = sandbox.store.subscriptions.values();
	return async (laterMs: number, toText = (iso: string): unknown => iso) => {
		const created_at = toText(new Date(sentMs + laterMs).toISOString());
		const message = { type: 'text', text: 'ok' };
		const event = { id: 'evt', event: 'message.received', created_at };
		const data = { contact: { id: contactId }, message };
		const output = await waiting.deliver(subscription, { ...event, data });
		return { approved: output?.[0].approved ?? 'keeps waiting', log: waiting.log.join() };
	};
}

const tooOld = { approved: 'keeps waiting', log: expect.stringMatching('older than the question') };

describe.each([0, -3_600_000, 3_600_000])("the service's clock is %i ms ahead", (ms) => {
	beforeEach(() => void (aheadMs = ms));
	afterAll(() => void (aheadMs = 0));

	test.each<[string, Fault[]]>([
		['nothing takes long', []],
		['the service answers the subscription after 8 s', [slowly('POST', /subscriptions/)]],
		['it lists the subscriptions after 8 s', [slowly('GET', /subscriptions/)]],
		['it confirms the question after 8 s', [slowly('POST', /messages/)]],
		['it sends its times in whole seconds', [inWholeSeconds]],
		[
			'it refuses the question for 30 s',
			[
				{
					match: { path: /messages/ },
					kind: { status: 429, headers: { 'retry-after': '30' } },
				},
			],
		],
	])('a reply from before the question is none: %s', async (_name, faults) => {
		const written = await ask(...faults);
		expect(await written(-6_400)).toMatchObject(tooOld);
		expect(await written(-100)).toMatchObject(tooOld);
	});

	test('a reply some seconds after the question counts', async () => {
		expect(await (await ask())(1)).toMatchObject({ approved: true });
	});

	test('also if the service sends its times in whole seconds', async () => {
		const written = await ask(inWholeSeconds);
		const reply = await written(2_000, (iso) => iso.replace(/\.\d{3}Z/, 'Z'));
		expect(reply).toMatchObject({ approved: true });
	});

	test.each(['POST', 'GET'])('also if its subscription takes 8 s (%s)', async (method) => {
		const written = await ask(slowly(method, /subscriptions/));
		expect(await written(1)).toMatchObject({ approved: true });
	});
});
