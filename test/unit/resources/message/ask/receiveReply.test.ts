import * as fc from 'fast-check';

import { receiveReply } from '../../../../../nodes/WorkspaceCrm/resources/message/ask/receiveReply';
import { aState, deliveryTo, replyEvent, type Delivered } from './waitContext';

async function receive(delivered: Delivered) {
	const { context, answered } = deliveryTo(delivered);
	const { workflowData } = await receiveReply(context);
	const [[item] = []] = workflowData ?? [];
	return { ...answered, json: item?.json };
}

test('a reply continues the execution', async () => {
	const { json } = await receive({});
	expect(json).toMatchObject({ replied: true, answer: 'yes', approved: true, delivery_id: 'dlv' });
	expect(Date.now() - Date.parse(String(json?.respondedAt))).toBeLessThan(60_000);
});

test('no event can turn itself into a yes', async () => {
	const own = { answer: 'yes', approved: true, replied: false, timed_out: true, contact_id: 'x' };
	const data = { ...own, chatInput: 'y', respondedAt: 'z' };
	const message = { text: 'no' };
	for (const simplify of [true, false]) {
		const body = replyEvent({ ...data, data, message }, data);
		const { json } = await receive({ body, state: { simplify } });
		const contact_id = aState.contactId;
		expect(json).toMatchObject({ approved: false, replied: true, timed_out: false, contact_id });
		expect(json?.answer).toBe('other');
		expect(json?.respondedAt).not.toBe('z');
	}
});

test.each([
	['Yes!', 'yes'],
	['no', 'other'],
	['yes please', 'other'],
	['Hello', 'other'],
	['', 'other'],
])('the answer of %j is %s', async (text, answer) => {
	const { json } = await receive({ body: replyEvent({ message: { text } }) });
	expect(json).toMatchObject({ answer, approved: answer === 'yes' });
});

test.each([
	['a reply from nobody', replyEvent({ contact: {} })],
	['an event without data', replyEvent({}, { data: null })],
	['another event', replyEvent({}, { event: 'contact.opted_out' })],
])('%s: the execution keeps waiting', async (_name, body) => {
	const { json, status, said } = await receive({ body });
	expect(json).toBeUndefined();
	expect([status, said]).toEqual([200, expect.stringMatching('keeps waiting')]);
});

test("a reply from before the question is not an answer, and n8n's log says so", async () => {
	const { json, status, log } = await receive({
		body: replyEvent({}, { created_at: '2026-11-23T10:00:05Z' }),
	});
	expect([json, status]).toEqual([undefined, 200]);
	expect(log).toEqual([expect.stringMatching(/'Ask'.+because it may be older than the question$/)]);
});

const withoutTime = [undefined, null, '', 'soon', 1_795_000_000, '2026-02-31T10:00:00Z'];

test.each(withoutTime)('a reply whose time is %j may be older than the question', async (time) => {
	const { json, status, log } = await receive({ body: replyEvent({}, { created_at: time }) });
	expect([json, status]).toEqual([undefined, 200]);
	expect(log).toEqual([expect.stringMatching(/because its time cannot be read$/)]);
});

test.each(withoutTime)('%j is no obstacle if the service sends no times', async (time) => {
	const state = { askedAtMs: undefined };
	const body = replyEvent({}, { created_at: time });
	expect((await receive({ body, state })).json).toBeDefined();
});

test.each([
	['in the same moment', { created_at: '2026-11-23T10:00:10Z' }],
	['in another zone', { created_at: '2026-11-23T11:00:20+01:00' }],
])('a reply %s counts', async (_name, more) => {
	expect((await receive({ body: replyEvent({}, more) })).json).toBeDefined();
});

test("the contact's ID also matches in upper case", async () => {
	const contact = { id: aState.contactId.toUpperCase() };
	expect((await receive({ body: replyEvent({ contact }) })).json).toBeDefined();
});

test('an agent reads the text of a no, but not of a yes', async () => {
	const state = { isApproval: true };
	const no = await receive({ state, body: replyEvent({ message: { text: 'Not him' } }) });
	expect(no.json).toMatchObject({ approved: false, chatInput: 'Not him' });
	expect((await receive({ state })).json).not.toHaveProperty('chatInput');
});

test.each([
	['no signature', { signature: '' }, 401],
	['a wrong signature', { signature: `sha256=${'0'.repeat(64)}` }, 401],
	['bytes that are no JSON', { rawBody: Buffer.from('yes') }, 400],
	['no state', { context: { evaluateExpression: () => undefined } }, 503],
	['a state that was sealed elsewhere', { context: { evaluateExpression: () => 'AAAA' } }, 503],
])('%s is refused with %s', async (_name, delivered, status) => {
	const { json, ...answered } = await receive(delivered);
	expect([json, answered.status]).toEqual([undefined, status]);
	expect(answered.log.join()).not.toContain(aState.secret);
});

test('never throws, whatever fails in n8n', async () => {
	const names = ['evaluateExpression', 'getSignedResumeUrl', 'getHeaderData'];
	for (const name of names) {
		const fails = () => {
			throw new Error('n8n is out of order');
		};
		const { context, answered } = deliveryTo({ context: { [name]: fails } });
		const { workflowData } = await receiveReply(context);
		expect([name, workflowData, answered.status]).toEqual([name, undefined, 503]);
	}
});

test('no bytes make it throw or continue', async () => {
	await fc.assert(
		fc.asyncProperty(fc.uint8Array(), fc.json(), async (bytes, json) => {
			for (const rawBody of [Buffer.from(bytes), Buffer.from(json)]) {
				expect((await receive({ rawBody })).json).toBeUndefined();
			}
		}),
	);
});
