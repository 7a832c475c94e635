import type { INodeParameters, NodeOperationError } from 'n8n-workflow';

import { FILTERS } from '../../nodes/WorkspaceCrm/events/filters';
import { deliver, eventBody } from './signedDelivery';
import { startTrigger, stopTriggers } from './triggerSetup';

/** A filter that cannot be read must not let every event pass. */
afterEach(async () => await stopTriggers());

const events = ['tag.added', 'message.received', 'form.submitted'];
const filters: Record<string, string> = Object.fromEntries(
	FILTERS.map(({ field }) => [field.name, field.displayName]),
);

const WHAT_TO_DO = {
	empty: 'Check that what the expression reads exists and has a value.',
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

const parametersWith = (name: string, value: string) =>
	name === 'events' ? { events: value } : { events, options: { [name]: value } };

test.each([...Object.entries(filters), ['events', 'Trigger On']])(
	'%s cannot be published with an expression that evaluates to nothing',
	async (name, label) => {
		for (const expression of ['undefined', 'null', '" , "', '[]']) {
			const message = await publishingFails(parametersWith(name, `={{ ${expression} }}`));
			expect(message).toMatch(`'${label}' is empty: its expression has no value for this item. `);
			// A filter can also be removed.
			expect(message).toMatch(WHAT_TO_DO.empty);
			expect(message.includes('clear or remove it.')).toBe(name !== 'events');
		}
		// A trigger has no items to read.
		const { sandbox, host } = await startTrigger({
			parameters: parametersWith(name, '={{ $json.value }}'),
		});
		await expect(host.publish()).rejects.toThrow(/.+/);
		expect(sandbox.requests).toEqual([]);
	},
);

test.each([
	...[-1, 1.5, 'abc', '={{ true }}'].map((value) => ['maxAge', value] as const),
	...['yes', 1, '={{ "TRUE" }}'].map((value) => ['onlyNewContacts', value] as const),
	...['?', 'price, !', '={{ ["…"] }}'].map((value) => ['messageContains', value] as const),
])('%s of %j cannot be published', async (name, value) => {
	const message = await publishingFails({ events, options: { [name]: value } });
	expect(message.startsWith(`'${filters[name]}' is `)).toBe(true);
	expect(message).toMatch(/ is [^ ]+\. It should be .+\. /);
	expect(message.endsWith(`. ${WHAT_TO_DO.wrong}`)).toBe(true);
});

test('an expression can choose events that are not in the list', async () => {
	const named = ['tag.added', 'contact.created'];
	const setup = await startTrigger({ parameters: { events: `={{ ${JSON.stringify(named)} }}` } });
	await setup.host.publish();
	expect([...setup.sandbox.store.subscriptions.values()][0].events).toEqual(named);
});

test('filters by expression work', async () => {
	const options = { knownTags: '={{ ["vip", "lead"] }}', maxAge: '={{ 5 * 2 }}' };
	const setup = await startTrigger({ parameters: { events, options } });
	await setup.host.publish();
	const old = { created_at: new Date(Date.now() - 11 * 60_000).toISOString() };
	await deliver(setup, { body: eventBody('tag.added', { tag: 'other' }) });
	await deliver(setup, { body: eventBody('tag.added', { tag: 'lead' }, old) });
	expect(setup.host.started).toHaveLength(0);
	await deliver(setup, { body: eventBody('tag.added', { tag: 'lead' }) });
	expect(setup.host.started).toHaveLength(1);
});

test('an event starts nothing while a filter evaluates to nothing, and its next try is accepted', async () => {
	const vip = { knownTags: '={{ "vip" }}' };
	const setup = await startTrigger({ parameters: { events, options: vip } });
	await setup.host.publish();
	const delivery = { body: eventBody('tag.added', { tag: 'other' }) };
	// Like an expression with a value that changes, such as a variable of n8n.
	setup.host.options.parameters = { events, options: { knownTags: '={{ undefined }}' } };
	expect((await deliver(setup, delivery)).status).toBe(503);
	expect([setup.host.started, setup.host.failedExecutions]).toEqual([[], []]);

	setup.host.options.parameters = { events, options: { knownTags: '={{ "other" }}' } };
	expect((await deliver(setup, delivery)).status).toBe(200);
	expect(setup.host.started).toHaveLength(1);
});
