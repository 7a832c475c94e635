import type { INodeParameters } from 'n8n-workflow';

import type { ListName, ListShape, Shapes } from '../../tools/sandbox';
import { enrollParameters, sendParameters } from './parameters';
import { runNode } from '../../tools/engine/runNode';
import {
	addContact,
	addContacts,
	addSubscription,
	chosen,
	contactId,
	paired,
	sent,
	useSandbox,
} from './support';

const contactChosen = chosen('id', contactId);
const sandbox = useSandbox();

const forms: ListShape[] = ['array', 'data', 'named', 'paged'];
const lists: Array<[list: ListName, resource: string, names: unknown[]]> = [
	['tags', 'tag', ['vip', 'lead']],
	[
		'templates',
		'template',
		['order_shipped', 'appointment_reminder', 'spring_offer', 'question', 'reply', 'welcome'],
	],
	['automations', 'automation', ['Welcome series', 'VIP care', 'Win back', 'Newsletter (old)']],
	['segments', 'segment', ['Confirmed contacts', 'VIP customers', 'Newsletter readers']],
	[
		'events',
		'eventType',
		['contact.created', 'contact.opted_out', 'message.received', 'form.submitted', 'tag.added'],
	],
	['subscriptions', 'subscription', [undefined]],
];

function send(options: INodeParameters = {}): INodeParameters {
	return sendParameters(contactChosen, {
		options: { variables: { values: [{ name: 'name', value: 'Zoë the secret' }] }, ...options },
	});
}

function enroll(options: INodeParameters = {}): INodeParameters {
	return enrollParameters(contactChosen, { options });
}

beforeEach(() => addContact(sandbox, { id: contactId, tags: ['vip', 'lead'] }));

describe.each(forms)('lists in the form %j', (list) => {
	test.each(lists)('%s give one item for each record', async (_list, resource, names) => {
		if (resource === 'subscription') {
			addSubscription(sandbox);
		}
		sandbox.setShapes({ list });
		for (const returnAll of [true, false]) {
			const { output, error } = await runNode(sandbox, {
				parameters: { resource, operation: 'getAll', returnAll },
			});
			expect(error).toBeUndefined();
			expect(output.map(({ json }) => json.name)).toEqual(names);
			expect(output.map(({ pairedItem }) => pairedItem)).toEqual(names.map(() => ({ item: 0 })));
		}
		expect(sent(sandbox).map(({ query }) => query)).toEqual([undefined, undefined]);
	});

	test('without records give no items and no error', async () => {
		sandbox.setShapes({ list });
		const { output, error } = await runNode(sandbox, {
			parameters: { resource: 'subscription', operation: 'getAll' },
		});
		expect([output, error]).toEqual([[], undefined]);
	});
});

test('of two lists in an answer, the one called data is read', async () => {
	const body = '{ "errors": [], "data": [{ "name": "vip" }], "total": 1 }';
	sandbox.fail({ kind: { status: 200, body } });
	const parameters = { resource: 'tag', operation: 'getAll', returnAll: true };
	expect((await runNode(sandbox, { parameters })).json).toEqual([{ name: 'vip' }]);
});

test('reads a list to its end if it turns out to be paged', async () => {
	sandbox.setShapes({ list: 'paged', tags: 'strings' });
	const names = Array.from({ length: 130 }, (_, index) => `tag ${index}`);
	names.forEach((name) => sandbox.store.addTag(name));
	const { json } = await runNode(sandbox, {
		parameters: { resource: 'tag', operation: 'getAll', returnAll: true },
	});
	expect(json).toEqual(['vip', 'lead', ...names].map((name) => ({ name })));
	expect(sent(sandbox).map(({ query }) => query)).toEqual([
		undefined,
		{ limit: '100', offset: '50' },
		{ limit: '100', offset: '100' },
	]);
});

test.each([
	['tag', { tags: 'strings' }, ['vip', 'lead']],
	['eventType', { events: 'strings' }, 5],
	['eventType', { events: 'objects' }, 5],
] as Array<[string, Partial<Shapes>, string[] | number]>)(
	'%s records in the form %j become items with a name',
	async (resource, shapes, expected) => {
		sandbox.setShapes(shapes);
		const { json } = await runNode(sandbox, { parameters: { resource, operation: 'getAll' } });
		if (typeof expected === 'number') {
			expect(json).toHaveLength(expected);
			expect(json[0]).toEqual({ name: 'contact.created' });
		} else {
			expect(json).toEqual(expected.map((name) => ({ name })));
		}
	},
);

test('a segment that lists only the IDs of contacts gives one item for each', async () => {
	sandbox.setShapes({ segmentContacts: 'ids' });
	const contacts = addContacts(sandbox, 120, { tags: ['vip'] });
	const { output } = await runNode(sandbox, {
		parameters: {
			resource: 'segment',
			operation: 'getContacts',
			segmentId: chosen('id', 'seg_vip'),
			returnAll: true,
		},
	});
	expect(output).toEqual(
		paired(...[...contacts, { id: contactId }].map(({ id }) => [0, { id }] as const)),
	);
});
describe('answers to an action', () => {
	/** What was sent is part of the output. */
	const sent = { template: 'welcome', variables: { name: 'Zoë the secret' } };
	const enrolled = { result: 'enrolled', automation_id: 'aut_win_back' };

	test.each(['contact', 'tag', 'empty'] as const)(
		'to tag changes in the form %j return what was done',
		async (tagAnswer) => {
			sandbox.setShapes({ tagAnswer });
			const added = await runNode(sandbox, {
				parameters: { resource: 'tag', operation: 'add', contactId: contactChosen, tags: 'new' },
			});
			expect(added.output).toEqual(paired([0, { contact_id: contactId, added_tags: ['new'] }]));
			const removed = await runNode(sandbox, {
				parameters: {
					resource: 'tag',
					operation: 'remove',
					contactId: contactChosen,
					tags: 'new',
				},
			});
			expect(removed.output).toEqual(paired([0, { contact_id: contactId, removed_tags: ['new'] }]));
		},
	);

	test.each([
		['sendAnswer', 'record', send(), { ...sent, status: 'queued' }],
		['sendAnswer', 'empty', send(), { result: 'sent', ...sent }],
		['sendAnswer', 'message', send(), { result: 'sent', ...sent, message: 'queued' }],
		['enrollAnswer', 'record', enroll(), { automation_id: 'aut_win_back' }],
		['enrollAnswer', 'empty', enroll(), enrolled],
		['enrollAnswer', 'message', enroll(), { ...enrolled, message: 'queued' }],
	])(
		'(%s, %j) are a success with every error setting',
		async (name, form, parameters, expected) => {
			sandbox.setShapes({ [name]: form } as Partial<Shapes>);
			for (const onError of ['continueErrorOutput', 'continueRegularOutput'] as const) {
				sandbox.store.enrolments.length = 0;
				const { output, failedOutput } = await runNode(sandbox, { parameters, onError });
				expect(failedOutput).toEqual([]);
				expect(output).toHaveLength(1);
				expect(output[0].pairedItem).toEqual({ item: 0 });
				expect(output[0].json).toMatchObject({ contact_id: contactId, ...expected });
				if (form !== 'record') {
					expect(output[0].json).toEqual({ contact_id: contactId, ...expected });
				}
			}
		},
	);

	test.each([
		['a text', '"queued"', 'queued'],
		['a list', '["a"]', ['a']],
		['an object with an error', '{ "error": null, "id": 7 }', { error: null, id: 7 }],
		['null', 'null', null],
	])("that are %s go below 'answer', and are a success", async (_case, body, answer) => {
		sandbox.fail({ kind: { status: 202, body } });
		const { output, failedOutput } = await runNode(sandbox, {
			parameters: send(),
			onError: 'continueErrorOutput',
		});
		expect(failedOutput).toEqual([]);
		expect(output).toEqual(paired([0, { result: 'sent', contact_id: contactId, ...sent, answer }]));
	});
});

describe('a body that the service refuses', () => {
	test.each([
		['sendBody', 'contactIdCamel', send(), 'contact_id, template, variables'],
		['enrollBody', 'phone', enroll(), 'contact_id'],
	])(
		'(%s %s) is an error that names the sent fields, not their values, and the option',
		async (name, form, parameters, fields) => {
			sandbox.setShapes({ [name]: form, invalidBody: 'silent' } as Partial<Shapes>);
			const { error } = await runNode(sandbox, { parameters });
			expect(error?.httpCode).toBe('422');
			expect(error?.description).toContain(
				`The node sent these fields: ${fields}. If the service expects others, turn on 'Different Field Names (Advanced)' in the credential, or enter them in 'Body' under 'Options'.`,
			);
			expect(error?.description).not.toContain(contactId);
			expect(error?.description).not.toContain('Zoë the secret');
			expect(sandbox.requests).toHaveLength(1);
		},
	);

	const phone = '+4915123456789';
	test.each([
		[
			'sendBody',
			'phone',
			send({
				bodyMode: 'replace',
				body: '={{ { to: $json.phone, template: { name: "welcome" } } }}',
			}),
		],
		[
			'enrollBody',
			'contactIdCamel',
			enroll({ bodyMode: 'replace', body: `{ "contactId": "${contactId}" }` }),
		],
	] as Array<[string, string, INodeParameters]>)(
		'(%s %s) can be replaced by one that it accepts',
		async (name, form, parameters) => {
			sandbox.setShapes({ [name]: form } as Partial<Shapes>);
			const { error, json } = await runNode(sandbox, { parameters, items: [{ phone }] });
			expect(error).toBeUndefined();
			expect(json).toMatchObject([{ contact_id: contactId }]);
			const { sentMessages, enrolments } = sandbox.store;
			expect([...sentMessages, ...enrolments]).toMatchObject([{ contact_id: contactId }]);
		},
	);

	test('can be extended, and keeps the rest', async () => {
		const { error } = await runNode(sandbox, {
			parameters: send({ body: '{ "template": "order_shipped", "variables": { "2": [4711] } }' }),
		});
		expect(error).toBeUndefined();
		expect(sandbox.requests[0].body).toEqual({
			contact_id: contactId,
			template: 'order_shipped',
			variables: { name: 'Zoë the secret', 2: [4711] },
		});
	});

	test('is not replaced by an empty object, which is what the field holds before it is filled in', async () => {
		const parameters = enroll({ bodyMode: 'replace', body: '{}' });
		const { error } = await runNode(sandbox, { parameters });
		expect(error?.message).toContain("'Body'");
		expect(sandbox.requests).toEqual([]);
	});

	test('that is not valid JSON is refused before any request', async () => {
		const { error } = await runNode(sandbox, { parameters: send({ body: '{ "to": ' }) });
		expect(error?.message).toBe("'Body' is not a JSON object");
		expect(sandbox.requests).toEqual([]);
	});
});

test('the output has what was sent after the body was replaced', async () => {
	sandbox.setShapes({ sendAnswer: 'empty' });
	const body = JSON.stringify({ template: 'order_shipped' });
	const { json } = await runNode(sandbox, { parameters: send({ body, bodyMode: 'merge' }) });
	expect(json).toMatchObject([{ contact_id: contactId, template: 'order_shipped' }]);
});
