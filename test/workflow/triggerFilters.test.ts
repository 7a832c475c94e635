import type { INodeParameters, NodeOperationError } from 'n8n-workflow';

import { deliver, eventBody } from './signedDelivery';
import { startTrigger, stopTriggers } from './triggerSetup';

/** A filter that cannot be read must not let every event pass. */
afterEach(async () => await stopTriggers());

const events = ['tag.added', 'message.received', 'form.submitted'];
const filters = {
	flowIds: 'Flow IDs',
	knownTags: 'Tag Names or IDs',
	maxAge: 'Max Age (Minutes)',
	messageContains: 'Message Contains',
	messageTypes: 'Message Types',
	onlyNewContacts: 'Only New Contacts',
	tags: 'Tags',
};

const WHAT_TO_DO = {
	empty:
		'Fill in this field, or remove it if it is optional. If it holds an expression, each field that it reads must exist and have a value.',
	wrong: 'Check the field, or the expression in it.',
};

/** What n8n's toast shows, which is nothing but the message. */
async function publishingFails(parameters: INodeParameters): Promise<string> {
	const { sandbox, host } = await startTrigger({ parameters });
	const error: unknown = await host.publish().catch((reason: unknown) => reason);
	expect(sandbox.requests).toEqual([]);
	expect((error as NodeOperationError).description).toBeUndefined();
	return (error as NodeOperationError).message;
}

describe.each(Object.entries(filters))('%s', (name, label) => {
	test.each(['{{ undefined }}', '{{ null }}', '{{ "" }}', '{{ " , " }}', '{{ [] }}', ''])(
		'set by the expression "%s", which gives nothing, cannot be published',
		async (expression) => {
			const message = await publishingFails({ events, options: { [name]: `=${expression}` } });
			expect(message).toBe(
				`'${label}' is set by an expression that gives nothing. ${WHAT_TO_DO.empty}`,
			);
		},
	);

	test('that reads items, of which a trigger has none, cannot be published', async () => {
		const { sandbox, host } = await startTrigger({
			parameters: { events, options: { [name]: '={{ $json.value }}' } },
		});
		await expect(host.publish()).rejects.toThrow(/.+/);
		expect(sandbox.requests).toEqual([]);
	});

	test('left blank by hand is not set', async () => {
		const { host } = await startTrigger({ parameters: { events, options: { [name]: '' } } });
		await host.publish();
		expect(host.stored.webhook).toContain('secret');
	});
});

test('Trigger On by an expression that gives nothing cannot be published', async () => {
	const parameters = { events: '={{ null }}', options: { otherEvents: 'x.y' } };
	expect(await publishingFails(parameters)).toBe(
		`'Trigger On' is set by an expression that gives nothing. ${WHAT_TO_DO.empty}`,
	);
});

test.each([-1, 1.5, 'abc', '={{ -1 }}', '={{ "soon" }}', '={{ true }}'])(
	'a maximum age of %j minutes cannot be published',
	async (maxAge) => {
		const message = await publishingFails({ events, options: { maxAge } });
		expect(message).toMatch(/^'Max Age \(Minutes\)' is [^ ]+\. It should be .+\. /);
		expect(message.endsWith(`. ${WHAT_TO_DO.wrong}`)).toBe(true);
	},
);

test.each(['yes', 1, '={{ "TRUE" }}'])(
	'Only New Contacts of %j cannot be published',
	async (is) => {
		const message = await publishingFails({ events, options: { onlyNewContacts: is } });
		expect(message).toMatch(/^'Only New Contacts' is [^ ]+\. It should be .+\. /);
		expect(message.endsWith(`. ${WHAT_TO_DO.wrong}`)).toBe(true);
	},
);

test.each(['?', 'price, !', '={{ ["…"] }}'])(
	'Message Contains of %j has an entry without words, and cannot be published',
	async (messageContains) => {
		const message = await publishingFails({ events, options: { messageContains } });
		expect(message).toMatch(/^'Message Contains' is "[?!…]"\. It should be words or phrases\. /);
	},
);

test('other events by an expression that gives nothing add nothing', async () => {
	const { sandbox, host } = await startTrigger({
		parameters: { events, options: { otherEvents: '={{ null }}' } },
	});
	await host.publish();
	expect([...sandbox.store.subscriptions.values()][0].events).toEqual(events);
});

test('filters by expressions that give something are used', async () => {
	const options = {
		tags: '={{ ["vip", "lead"] }}',
		maxAge: '={{ 5 * 2 }}',
		onlyNewContacts: '={{ true }}',
	};
	const setup = await startTrigger({ parameters: { events, options } });
	await setup.host.publish();
	await deliver(setup, { body: eventBody('tag.added', { tag: 'other' }) });
	expect(setup.host.started).toHaveLength(0);
	await deliver(setup, { body: eventBody('tag.added', { tag: 'lead' }) });
	expect(setup.host.started).toHaveLength(1);
	const old = { created_at: new Date(Date.now() - 11 * 60_000).toISOString() };
	await deliver(setup, { body: eventBody('tag.added', { tag: 'lead' }, old) });
	expect(setup.host.started).toHaveLength(1);
});

test('an event that comes while a filter gives nothing starts nothing, and can come again', async () => {
	const setup = await startTrigger({ parameters: { events, options: { tags: '={{ "vip" }}' } } });
	await setup.host.publish();
	const delivery = { body: eventBody('tag.added', { tag: 'other' }) };
	// As an expression that reads what changes, such as a variable of n8n.
	setup.host.options.parameters = { events, options: { tags: '={{ undefined }}' } };
	expect((await deliver(setup, delivery)).status).toBe(500);
	expect(setup.host.started).toEqual([]);

	setup.host.options.parameters = { events, options: { tags: '={{ "other" }}' } };
	expect((await deliver(setup, delivery)).status).toBe(200);
	expect(setup.host.started).toHaveLength(1);
});
