import * as fc from 'fast-check';

import type { Contact, Fault } from '../../../../tools/sandbox';
import { messagesTo, validMarksOf } from '../../marks';
import { campaign, runCampaign } from './campaignNode';
import { startNode } from '../../../../tools/engine/runNode';
import { processInTime } from '../../shutDoor';
import { process } from '../../../../tools/support/platform';
import { addContact, useSandbox } from '../../support';

/**
 * Whatever goes wrong, and however often a campaign runs again: nobody gets its message twice or without having
 * confirmed, and in the end all others have it, except those for whom the outcome is unknown.
 */
const sandbox = useSandbox({ limiter: { kind: 'off' } });

const path = { mark: '/v1/contacts/', send: '/v1/messages/template', look: '/v1/contacts' };
const methods = { mark: 'PATCH', send: 'POST', look: 'GET' };

const kinds = fc.constantFrom<Fault['kind']>(
	{ drop: 'beforeEffect' },
	{ drop: 'afterEffect' },
	{ drop: 'midAnswer' },
	{ status: 500 },
	{ status: 500, afterEffect: true },
	{ status: 502, body: '<html>' },
	{ status: 502, detail: 'Rejected' },
	{ status: 503, afterEffect: true },
	{ status: 408, afterEffect: true },
	{ status: 429, headers: { 'retry-after': '1' } },
	{ status: 400 },
	{ status: 401 },
	{ status: 402 },
	{ status: 409, detail: 'Template paused' },
	{ status: 422 },
	{ truncated: true },
	{ html: true },
);

const outages = fc.constantFrom<Fault['kind']>(
	{ drop: 'beforeEffect' },
	{ drop: 'afterEffect' },
	{ status: 500 },
	{ status: 503, afterEffect: true },
);

const refusals = fc.constantFrom<Fault['kind']>(
	{ status: 429, headers: { 'retry-after': '40' } },
	{ status: 429, headers: { 'retry-after': '800' } },
);

const faultOf = (kind: fc.Arbitrary<Fault['kind']>, times: number[]) =>
	fc
		.record({
			request: fc.constantFrom('mark' as const, 'mark', 'send', 'send', 'look'),
			skip: fc.nat(8),
			times: fc.constantFrom(...times),
			kind,
		})
		.map(
			({ request, ...rest }): Fault => ({
				...rest,
				match: { method: methods[request], path: path[request] },
			}),
		);

const endless = (faults: Fault[]) => ({ faults, canBeWaitedOut: false });
const passing = (faults: Fault[]) => ({ faults, canBeWaitedOut: true });

/** If the trouble passes, an outage lasts less than ten minutes, and a refusal less than an hour. */
const trouble = fc.oneof(
	fc.array(faultOf(kinds, [1, 1, 2, 3, 4, 12, 25]), { maxLength: 4 }).map(endless),
	// More than three outlast the tries of a request.
	fc.array(faultOf(outages, [1, 3, 6, 10]), { minLength: 1, maxLength: 2 }).map(passing),
	fc.array(faultOf(refusals, [1, 2]), { minLength: 1, maxLength: 2 }).map(passing),
	fc.constant(passing([])),
);

/** A process that dies sends nothing more, and gets no more answers. */
const crash = fc.record({ after: fc.nat(25), isDone: fc.boolean() });

const run = fc.record({
	trouble,
	crash: fc.option(crash, { freq: 2 }),
	/** After which request the user stops it. */
	stop: fc.option(fc.nat(20), { freq: 2 }),
	/** Changes of consent while it runs, by the index of the contact. */
	optsOut: fc.option(fc.record({ contact: fc.nat(5), after: fc.nat(12) })),
	/** Whether another execution of the same campaign runs at the same time. */
	isTwice: fc.constantFrom(false, false, false, true),
	options: fc.constantFrom({}, {}, { stopAfterFailures: 2 }, { dryRun: true }),
	settings: fc.constantFrom({}, {}, { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 }),
});

const statuses = fc.constantFrom<Contact['opt_in_status']>(
	'confirmed',
	'confirmed',
	'confirmed',
	'opted_out',
	'pending',
	'none',
);

const cases = fc.record({
	contacts: fc.array(statuses, { minLength: 1, maxLength: 8 }),
	/** Whether the contact is in the input. */
	isMeant: fc.array(fc.constantFrom(true, true, true, false), { minLength: 8, maxLength: 8 }),
	runs: fc.array(run, { minLength: 1, maxLength: 4 }),
});

type Run = typeof run extends fc.Arbitrary<infer R> ? R : never;

function prepare(
	{ trouble: { faults }, crash: dies, optsOut }: Run,
	contacts: readonly Contact[],
): void {
	sandbox.clearFaults();
	const leaver = optsOut && contacts[optsOut.contact];
	if (optsOut && leaver) {
		const meanwhile = () => void (leaver.opt_in_status = 'opted_out');
		sandbox.fail({ skip: optsOut.after, kind: { meanwhile } });
	}
	if (dies) {
		if (dies.isDone) sandbox.fail({ skip: dies.after, kind: { drop: 'afterEffect' } });
		sandbox.fail({ skip: dies.after, times: 10_000, kind: { drop: 'beforeEffect' } });
	}
	for (const each of faults) sandbox.fail(each);
}

const isMarkedInVain = (contact: Contact) =>
	validMarksOf(sandbox, contact).length > 0 && messagesTo(sandbox, contact) === 0;

/** Runs the campaign until the user stops it, or to its end. */
async function runUntilStopped(input: readonly Contact[], after: number): Promise<void> {
	const items = input.map(({ id }) => ({ id }));
	const run = { parameters: campaign(), items, runtime: processInTime() };
	const execution = startNode(sandbox, run);
	sandbox.fail({ skip: after, kind: { meanwhile: () => execution.cancel() } });
	await execution;
}

async function check({
	contacts: states,
	isMeant,
	runs,
}: typeof cases extends fc.Arbitrary<infer C> ? C : never) {
	sandbox.reset();
	const contacts = states.map((opt_in_status, n) =>
		addContact(sandbox, { phone: `+121245678${90 + n}`, opt_in_status }),
	);
	const wasConfirmed = new Set(contacts.filter((each) => each.opt_in_status === 'confirmed'));
	const input = contacts.filter((_, n) => isMeant[n]);
	if (input.length === 0) return;

	const expectAtMostOnce = () => {
		for (const contact of contacts) {
			const messages = messagesTo(sandbox, contact);
			expect(messages).toBeLessThanOrEqual(1);
			if (messages === 0) continue;
			expect(wasConfirmed.has(contact) && input.includes(contact)).toBe(true);
			expect(validMarksOf(sandbox, contact).length).toBeGreaterThan(0);
		}
	};
	for (const each of runs) {
		prepare(each, contacts);
		const before = new Map(contacts.map((contact) => [contact, messagesTo(sandbox, contact)]));
		const marksBefore = new Map(
			contacts.map((contact) => [contact, validMarksOf(sandbox, contact).length]),
		);
		const inVainBefore = new Set(contacts.filter(isMarkedInVain));
		if (each.stop !== null) {
			await runUntilStopped(input, each.stop);
			const isClean = !each.crash && each.trouble.faults.length === 0;
			if (isClean) expect(input.filter(isMarkedInVain).length).toBe(inVainBefore.size);
			expectAtMostOnce();
			continue;
		}
		const parameters = campaign(each.options);
		const others = each.isTwice ? [runCampaign(sandbox, input, { executionId: '2' })] : [];
		const [{ results: said, texts }] = await Promise.all([
			runCampaign(sandbox, input, { parameters, settings: each.settings }),
			...others,
		]);
		input.forEach((contact, n) => {
			const isNew = messagesTo(sandbox, contact) > (before.get(contact) ?? 0);
			if (said[n] === 'sent') expect(isNew).toBe(true);
			if (isNew && !each.isTwice) expect(['sent', 'unclear', undefined]).toContain(said[n]);
			// If the output does not mention a mark, there must be no new one.
			const isUnmarked = messagesTo(sandbox, contact) === 0 && !/mark/.test(texts[n]);
			if (isUnmarked && !each.isTwice && !each.crash) {
				expect(validMarksOf(sandbox, contact).length).toBe(marksBefore.get(contact));
			}
			const isOver = each.trouble.canBeWaitedOut && !each.crash && !each.isTwice;
			if (isOver && isMarkedInVain(contact) && !inVainBefore.has(contact)) {
				expect(said[n]).toBe('unclear');
			}
			if (isNew && each.isTwice === false) expect(each.options).not.toEqual({ dryRun: true });
		});
		expectAtMostOnce();
	}

	sandbox.clearFaults();
	const uncertain = new Set(input.filter(isMarkedInVain));
	await runCampaign(sandbox, input);
	for (const contact of input) {
		const isDue = contact.opt_in_status === 'confirmed' && !uncertain.has(contact);
		if (isDue) expect(messagesTo(sandbox, contact)).toBe(1);
	}
	const requestsSoFar = sandbox.requests.length;
	const messages = sandbox.store.sentMessages.length;
	await runCampaign(sandbox, input);
	expect(sandbox.store.sentMessages).toHaveLength(messages);
	expect(sandbox.requests).toHaveLength(requestsSoFar + 2);
}

test('nobody gets a message twice, and nobody is left out', async () => {
	await fc.assert(fc.asyncProperty(cases, check), { numRuns: Number(process.env.WORLDS ?? 40) });
}, 120_000);
