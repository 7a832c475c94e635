import type { INodeParameters } from 'n8n-workflow';

import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import { runNode } from '../../tools/engine/runNode';
import { chosen, paired, sent, textsIn, useSandbox } from './support';

const url = 'https://example.com/events?from=crm';
const sandbox = useSandbox();

function create(more: INodeParameters = {}) {
	return {
		resource: 'subscription',
		operation: 'create',
		url,
		events: ['contact.created', 'tag.added'],
		...more,
	} as INodeParameters;
}

const stored = () => [...sandbox.store.subscriptions.values()][0];

describe('create', () => {
	test('returns the subscription without its secret', async () => {
		const { output, run } = await runNode(sandbox, { parameters: create() });
		const { secret, ...shown } = stored();
		expect(output).toEqual(paired([0, shown]));
		expect(textsIn(run).filter((text) => text.includes(secret))).toEqual([]);
		expect(sent(sandbox)).toEqual([
			{
				request: 'POST /v1/subscriptions',
				body: { url, events: ['contact.created', 'tag.added'] },
			},
		]);
	});

	test('returns the secret if requested, in a field that n8n redacts', async () => {
		const { json } = await runNode(sandbox, {
			parameters: create({ options: { includeSecret: true } }),
		});
		expect(json).toEqual([{ ...stored() }]);
		expect(json[0].secret).toMatch(/^[0-9a-f]{64}$/);
		// n8n redacts these fields wherever it shows the execution.
		const { sensitiveOutputFields } = new WorkspaceCrm().description;
		const secretFields = Object.keys(json[0]).filter((name) => json[0][name] === stored().secret);
		expect(sensitiveOutputFields).toEqual(secretFields);
	});

	test.each([
		['an array', '={{ ["tag.added", "form.submitted"] }}'],
		['comma-separated text', '={{ "tag.added, form.submitted" }}'],
	])('takes events as %s by expression', async (_case, events) => {
		const { error } = await runNode(sandbox, { parameters: create({ events }) });
		expect(error).toBeUndefined();
		expect(sandbox.requests[0].body).toEqual({ url, events: ['tag.added', 'form.submitted'] });
	});

	test.each([
		'http://example.com/events',
		'https://localhost/events',
		'https://10.0.0.1/',
		'no url',
	])('refuses the URL %s before any request', async (value) => {
		const { error } = await runNode(sandbox, {
			parameters: create({ url: '={{ $json.url }}' }),
			items: [{ url: value }],
		});
		expect(error).toMatchObject({
			message: `'URL' is "${value}", which the service cannot reach`,
			description: 'Give a public address that starts with https://.',
		});
		expect(sandbox.requests).toEqual([]);
	});

	test('shows what the service says about one subscription too many', async () => {
		sandbox.store.rules.maxSubscriptions = 0;
		const { error } = await runNode(sandbox, { parameters: create() });
		expect(error?.httpCode).toBe('409');
		expect(error?.description).toMatch(/as many subscriptions as the service allows \(20\)/);
		expect(error?.description).not.toMatch(/contact|automation/);
		expect(error?.description).toContain('at most 0 active subscriptions per workspace');
	});
});

test('getAll returns the active subscriptions without their secrets', async () => {
	await runNode(sandbox, { parameters: create() });
	sandbox.requests.length = 0;
	sandbox.fail({
		kind: { status: 200, body: JSON.stringify([{ ...stored() }]) },
	});
	const { output } = await runNode(sandbox, {
		parameters: { resource: 'subscription', operation: 'getAll', returnAll: true },
	});
	const { secret, ...shown } = stored();
	expect(secret).toBeTruthy();
	expect(output).toEqual(paired([0, shown]));
	expect(sent(sandbox)).toEqual([{ request: 'GET /v1/subscriptions' }]);
});

test('delete succeeds, even if the subscription is already gone', async () => {
	await runNode(sandbox, { parameters: create() });
	sandbox.requests.length = 0;
	const { id } = stored();
	const parameters = {
		resource: 'subscription',
		operation: 'delete',
		subscriptionId: chosen('id', id),
	};
	const first = await runNode(sandbox, { parameters });
	const second = await runNode(sandbox, { parameters });
	for (const { output } of [first, second]) {
		expect(output).toEqual(paired([0, { deleted: true }]));
	}
	expect(sandbox.store.subscriptions.size).toBe(0);
	expect(sent(sandbox)).toEqual([
		{ request: `DELETE /v1/subscriptions/${id}` },
		{ request: `DELETE /v1/subscriptions/${id}` },
	]);
});
