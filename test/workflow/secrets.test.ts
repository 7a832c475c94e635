import type { INode } from 'n8n-workflow';

import { contactItem, usesFor } from '../operationCases';
import type { Fault } from '../../tools/sandbox';
import { operations } from '../support/operations';
import { contactParameters } from './parameters';
import { runNode, type NodeResult } from '../../tools/engine/runNode';
import {
	addContact,
	addSubscription,
	chosen,
	contactId,
	patientRuntime,
	textsIn,
	useSandbox,
} from './support';
import { startTrigger, stopTriggers } from './triggerSetup';

/** With characters that programs escape in JSON, in URLs, in forms, in HTML and in patterns. */
const apiKey = 'Key/4f+1c=9%\\"ü&<(x)';
const sandbox = useSandbox({ apiKey });
afterEach(async () => await stopTriggers());

/** How the service may encode a text within its JSON. */
const spellings: Record<string, (text: string) => string> = {
	plain: (text) => JSON.stringify(text).slice(1, -1),
	'percent-encoded': encodeURIComponent,
};
const PLACE = 'PLACE';
const inAllSpellings = (json: string): string =>
	json.replaceAll(
		PLACE,
		`Bearer ${Object.values(spellings)
			.map((write) => write(apiKey))
			.join(' , ')}`,
	);

function leaksOf(result: unknown, secret = apiKey): string[] {
	const spelt = [secret, ...Object.values(spellings).map((write) => write(secret))];
	return textsIn(result).filter((text) => spelt.some((each) => text.includes(each)));
}

test('this test notices a key in each spelling', () => {
	for (const [name, write] of Object.entries(spellings)) {
		const parsed = JSON.parse(`"the ${write(apiKey)}"`) as string;
		expect([name, leaksOf({ parsed }).length]).toEqual([name, 1]);
	}
	expect(leaksOf({ ['x'.repeat(99)]: 'Key/4f+1c=9%' })).toEqual([]);
});

/** Puts the echo wherever a success can have a text: as a value, as a name, in each record. */
function withEcho(payload: string): string {
	if (payload === '') return inAllSpellings(JSON.stringify(PLACE));
	const echoing = (value: unknown): unknown => {
		if (Array.isArray(value)) return [...value.map(echoing), PLACE];
		if (typeof value !== 'object' || value === null) return value;
		const parts = Object.entries(value).map(([name, part]) => [name, echoing(part)]);
		return { ...Object.fromEntries(parts), echo: PLACE, [PLACE]: { deep: [PLACE] } };
	};
	return inAllSpellings(JSON.stringify(echoing(JSON.parse(payload))));
}

const echo = `the key ${apiKey} of Bearer ${apiKey}`;
const refusal = (status: number, json: object): Fault => ({
	times: 99,
	kind: { status, body: inAllSpellings(JSON.stringify(json)) },
});
const always = (kind: Fault['kind']): Fault => ({ times: 99, kind });

type Row = [name: string, fault: Fault | undefined];
/** For one operation, as all read answers in the same way; `test/faults` has some of them for each. */
const faults: Row[] = [
	['an answer', undefined],
	[
		'headers that echo it',
		always({ answerHeaders: { 'x-echo': echo, 'retry-after': echo, date: echo } }),
	],
	...[400, 401, 404, 409, 422, 500, 503].map(
		(status): Row => [`${status} that echoes it`, refusal(status, { detail: PLACE })],
	),
	['422 that echoes it in parts', refusal(422, { detail: [{ [PLACE]: PLACE, loc: [PLACE] }] })],
	['422 that echoes it in a few words', always({ status: 422, detail: apiKey })],
	['429', always({ status: 429, detail: echo, headers: { 'retry-after': '999' } })],
	['a page that echoes it', always({ status: 200, body: `<html>${echo}</html>` })],
	['text that echoes it', always({ status: 200, body: echo })],
	[
		'a redirect',
		always({ status: 302, headers: { location: `http://127.0.0.1:1/${encodeURI(apiKey)}` } }),
	],
	['a truncated answer', always({ truncated: true })],
];
const modes: Array<INode['onError']> = [
	'stopWorkflow',
	'continueRegularOutput',
	'continueErrorOutput',
];

const signingSecret = 'signing-secret-that-must-stay-secret';

const contact = { id: '3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a60', phone: '+12125550123' };
const uses = usesFor(contactItem(contact, 0));

/** Adds the records that the operations need. */
function furnish(): void {
	addContact(sandbox, {
		...contact,
		name: 'Contact',
		tags: ['vip', 'new'],
		opt_in_status: 'confirmed',
	});
	addSubscription(sandbox, { id: 'sub_0', url: 'https://example.com/old', secret: signingSecret });
}

async function run(
	{ resource, operation }: { resource: string; operation: string },
	fault?: Fault,
	settings: Partial<Parameters<typeof runNode>[1]> = {},
): Promise<NodeResult> {
	furnish();
	if (fault) sandbox.fail(fault);
	const { runtime } = patientRuntime();
	const parameters = uses[`${resource} ${operation}`];
	return await runNode(sandbox, { parameters, runtime, ...settings });
}

test.each(operations)(
	'$resource $operation never reveals the key after an answer that echoes it',
	async (place) => await expectNoLeak(place, always({ rewrite: withEcho }), 'continueErrorOutput'),
);

describe.each(modes)('no execution contains the key, with %s', (onError) => {
	test.each(faults)('after %s', async (_name, fault) => {
		await expectNoLeak({ resource: 'contact', operation: 'get' }, fault, onError);
	});
});

async function expectNoLeak(
	place: { resource: string; operation: string },
	fault: Fault | undefined,
	onError: INode['onError'],
) {
	const result = await run(place, fault, { onError });
	if (!fault) expect([result.error, result.output.length > 0]).toEqual([undefined, true]);
	expect(sandbox.requests.length).toBeGreaterThan(0);
	expect(leaksOf(result)).toEqual([]);
	expect(leaksOf([result.error?.cause, result.error?.context])).toEqual([]);
	expect(leaksOf(result, signingSecret)).toEqual([]);
}

test('a key that the service echoes is replaced', async () => {
	sandbox.fail({ kind: { status: 422, detail: echo } });
	const { error } = await runNode(sandbox, {
		parameters: { resource: 'workspace', operation: 'get' },
	});
	const shown = 'the key (the API key) of Bearer (the API key)';
	expect(`${error?.message} ${error?.description}`.split(shown)).toHaveLength(2);
});

test.each([
	'\u200bhidden-only-this-key-has-it',
	'key-only-this-key-has-it€',
	'key\u0000-only-this-key-has-it',
	'key\n-only-this-key-has-it',
])('a key that no header can hold is refused before any request: %j', async (unsendable) => {
	const result = await runNode(sandbox, {
		parameters: { resource: 'workspace', operation: 'get' },
		credential: { apiKey: unsendable },
	});
	expect(result.error).toMatchObject({
		message: 'The API key contains a character that cannot be sent',
		description: expect.stringContaining('paste the key again'),
	});
	expect(sandbox.requests).toEqual([]);
	expect(textsIn(result).filter((text) => text.includes('only-this-key-has-it'))).toEqual([]);
});

test('a very short key is not replaced in texts', async () => {
	const { url } = sandbox;
	addContact(sandbox, { id: contactId, name: 'Key Account' });
	sandbox.fail({ kind: { status: 404, detail: 'no account by this key' } });
	const { error } = await runNode({ ...sandbox, url, apiKey: 'a' } as never, {
		parameters: contactParameters('get', chosen('id', contactId)),
	});
	expect(error?.description).not.toContain('(the API key)');
});

describe('the signing secret', () => {
	const create = { resource: 'subscription', operation: 'create' };

	test('is in no error that shows a subscription', async () => {
		const subscription = { id: 'sub_0', url: 'https://example.com/old', secret: signingSecret };
		const body = JSON.stringify({ detail: { message: 'There is one', subscription } });
		const result = await run(create, { kind: { status: 409, body } });
		expect(result.error?.description).toContain('"url":"https://example.com/old"');
		expect(leaksOf(result, signingSecret)).toEqual([]);
	});

	test('is in no error or log of the trigger that shows a subscription', async () => {
		const setup = await startTrigger();
		const subscription = { url: 'https://example.com/old', secret: signingSecret };
		const body = JSON.stringify({ detail: [{ subscriptions: [subscription] }] });
		const refuse = (method: string) =>
			setup.sandbox.fail({ times: 99, match: { method }, kind: { status: 409, body } });
		refuse('POST');
		const error: unknown = await setup.host.publish().catch((reason: unknown) => reason);
		expect(error).toMatchObject({
			message: expect.stringContaining('"url":"https://example.com/old"'),
			description: undefined,
		});
		expect(leaksOf(error, signingSecret)).toEqual([]);
		setup.sandbox.clearFaults();
		await setup.host.publish();
		refuse('DELETE');
		await setup.host.unpublish();
		expect(setup.host.log.join()).toContain('"url":"https://example.com/old"');
		expect(leaksOf(setup.host.log, signingSecret)).toEqual([]);
	});
});
