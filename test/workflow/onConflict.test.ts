import type { INodeParameters } from 'n8n-workflow';

import type { OptInStatus } from '../../tools/sandbox';
import { sendParameters } from './parameters';
import { runNode } from '../../tools/engine/runNode';
import { addContacts, chosen, useSandbox } from './support';

/** How a 409 is handled: the contact has opted out, or is already enrolled. */
const sandbox = useSandbox();

const contactId = chosen('id', '={{ $json.id }}');
const send = sendParameters(contactId);
const enroll: INodeParameters = {
	resource: 'automation',
	operation: 'enroll',
	contactId,
	automationId: chosen('id', 'aut_vip_care'),
};
const skipping = { options: { onConflict: 'skip' } };

function twoContacts() {
	const [one, two] = addContacts(sandbox, 2, { opt_in_status: 'confirmed' });
	one.opt_in_status = 'opted_out';
	return [one, two];
}

describe.each([
	['Send Template', send, 'optedOut', 'sent', 'This contact has opted out, so no message was sent'],
	['Enroll Contact', enroll, 'conflict', 'enrolled', 'The contact was not enrolled'],
])('%s', (_name, parameters, code, done, message) => {
	test('fails without the option', async () => {
		const { error, json } = await runNode(sandbox, { parameters, items: twoContacts() as never });
		expect(error?.message).toContain(message);
		expect(json).toEqual([]);
	});

	test('skips with the reason, and does the other items', async () => {
		const [one, two] = twoContacts();
		const { json, error } = await runNode(sandbox, {
			parameters: { ...parameters, ...skipping },
			items: [one, two] as never,
		});
		expect(error).toBeUndefined();
		expect(json).toMatchObject([
			{
				contact_id: one.id,
				result: 'skipped',
				code,
				reason: expect.stringContaining(message),
			},
			{ contact_id: two.id, result: done },
		]);
		expect(json[0].reason).toContain('The service says');
		expect(json[1]).not.toHaveProperty('code');
	});

	test.each([400, 404, 422, 500])('still fails after %d', async (status) => {
		const [, two] = twoContacts();
		sandbox.fail({ match: { method: 'POST' }, times: 3, kind: { status, detail: 'no' } });
		const { error, json } = await runNode(sandbox, {
			parameters: { ...parameters, ...skipping },
			items: [two] as never,
		});
		expect(error).toBeDefined();
		expect(json).toEqual([]);
	});
});

describe('after a conflict, Send Template shows', () => {
	const paused = { status: 409, detail: 'Template is paused' };
	const errorOf = async (status: OptInStatus, prepare = () => {}) => {
		const [contact] = addContacts(sandbox, 1, { opt_in_status: status });
		sandbox.fail({ match: { method: 'POST' }, kind: paused });
		prepare();
		const items = [{ id: contact.id }];
		return (await runNode(sandbox, { parameters: send, items })).error;
	};

	test.each<[string, OptInStatus, (() => void)?]>([
		['is none', 'none'],
		['is pending', 'pending'],
		['is confirmed', 'confirmed'],
		[
			'cannot be read',
			'opted_out',
			() => sandbox.fail({ match: { method: 'GET' }, kind: { status: 404 } }),
		],
	])("the service's reason, if the contact %s", async (_case, ...more) => {
		const error = await errorOf(...more);
		expect(`${error?.message} ${error?.description}`).not.toMatch(/opted out/);
		expect(error?.description).toContain('Template is paused');
	});

	test('that the contact has opted out, if it has', async () => {
		const error = await errorOf('opted_out');
		expect(error?.message).toBe('This contact has opted out, so no message was sent');
		expect(error?.description).toContain('Template is paused');
	});
});

describe.each([
	['without a campaign key', {}],
	['with a campaign key', { campaignKey: 'spring' }],
])("'If Opted Out' does not skip another conflict, %s", (_name, options) => {
	test("but fails with the service's reason", async () => {
		const [, two] = twoContacts();
		sandbox.fail({
			match: { method: 'POST' },
			kind: { status: 409, detail: 'Template is paused' },
		});
		const { json, error } = await runNode(sandbox, {
			parameters: sendParameters(contactId, { options: { onConflict: 'skip', ...options } }),
			items: [two] as never,
		});
		expect(json).toEqual([]);
		expect(error?.description).toContain('Template is paused');
		for (const value of Object.values(two.attributes)) expect(value).toMatch(/^refused /);
	});
});
