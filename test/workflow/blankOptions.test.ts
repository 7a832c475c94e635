import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Field } from '../../nodes/WorkspaceCrm/operations/fieldKinds';
import { FILTERS } from '../../nodes/WorkspaceCrm/events/filters';
import { runNode } from '../../tools/engine/runNode';
import { operations } from '../support/operations';
import { contact, uses } from './leaves';
import { addContact, contactId, chosen, useSandbox, writes } from './support';
import { startTrigger, stopTriggers } from './triggerSetup';

/** An option that was added and left blank: it was to narrow what is done, so it must not count as not added. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
beforeEach(() => void addContact(sandbox, { id: contactId }));
afterEach(async () => await stopTriggers());

/** What the editor saves for an option that was added and not touched, or emptied. */
function blanksOf({ type, modes, accepts }: Field): unknown[] {
	if (accepts === 'names' && type === 'string') return ['', ' , ', '[]', '\n'];
	if (type === 'resourceLocator')
		return (modes ?? []).map(({ name }) => chosen(name, '') as unknown);
	if (type === 'multiOptions') return [[]];
	if (type === 'fixedCollection') return [];
	return type === 'string' || type === 'dateTime' ? ['', ' '] : [null];
}

const options = operations.flatMap(({ use, fields }) =>
	fields
		.filter(({ type, mayBeNothing }) => type === 'collection' && !mayBeNothing)
		.flatMap(({ name, options: own }) =>
			(own as readonly Field[])
				.filter(({ mayBeNothing }) => !mayBeNothing)
				.map((option) => [`${use}: ${option.displayName}`, use, name, option] as const),
		),
);

test.each(options)('%s: is refused before any request', async (_name, use, collection, option) => {
	for (const blank of blanksOf(option)) {
		sandbox.requests.length = 0;
		const base = uses[use] as IDataObject;
		const parameters = {
			...base,
			[collection]: { ...(base[collection] as IDataObject), [option.name]: blank },
		} as INodeParameters;
		const { error } = await runNode(sandbox, { parameters, items: [contact] });
		expect(error?.message).toBe(`'${option.displayName}' is empty`);
		expect(error?.description).toBe('Give it a value, or remove it.');
		expect(sandbox.requests).toEqual([]);
	}
});

test.each(
	FILTERS.map(
		({ event = 'message.received', field }) => [field.displayName, event, field] as const,
	),
)('a trigger with the blank filter %s is not published', async (label, event, field: Field) => {
	for (const blank of blanksOf(field)) {
		const parameters = { events: [event], options: { [field.name]: blank } } as INodeParameters;
		const { host } = await startTrigger({ parameters });
		await expect(host.publish()).rejects.toThrow(
			`'${label}' is empty. Give it a value, or remove it.`,
		);
	}
});

test('without the blank filter, as the error says, the other one counts', async () => {
	addContact(sandbox, { phone: '+4915123456789', name: 'Ben' });
	const all = { resource: 'contact', operation: 'getAll' };
	const { json } = await runNode(sandbox, { parameters: { ...all, filters: { search: 'Ben' } } });
	expect(json.map(({ name }) => name)).toEqual(['Ben']);
});

test('a field of a contact that is left blank changes nothing, as before', async () => {
	const update = uses['contact update'] as IDataObject;
	const updateFields = { name: '', locale: ' ', source: 'fair', fieldsToEmpty: [], attributes: {} };
	const parameters = { ...update, updateFields } as INodeParameters;
	expect((await runNode(sandbox, { parameters, items: [contact] })).error).toBeUndefined();
	expect(writes(sandbox)).toMatchObject([{ body: { source: 'fair' } }]);
});
