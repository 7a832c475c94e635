import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { contact } from '../../leaves';
import { runNode } from '../../../../tools/engine/runNode';
import { addContact, addContacts, contactId, useSandbox, writes } from '../../support';
import { actionsOf, automatic, runSync } from './syncNode';

/** An expression that evaluates to nothing must never make the node do more than intended. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });

beforeEach(() => {
	addContact(sandbox, { id: contactId, name: 'Nathan', tags: ['vip'] });
	addContacts(sandbox, 3);
});

/** Runs the node so that failed items leave the others alone. */
const run = async (parameters: INodeParameters, items: IDataObject[]) =>
	await runNode(sandbox, { onError: 'continueErrorOutput', parameters, items });

describe('a text with what an expression without a value left behind', () => {
	test('names the other readable columns of its row', async () => {
		const row = {
			columns: {
				mappingMode: 'defineBelow',
				value: { phone: contact.phone, name: '={{ "Hi " + $json.v }}' },
				schema: [],
			},
		};
		const { json } = await run({ ...automatic({ dryRun: true }), ...row } as never, [{}]);
		expect(json).toMatchObject([{ phone: contact.phone, sync: { action: 'invalid' } }]);
	});
});

describe('the columns of a sync', () => {
	test.each([
		['the way of mapping', { mappingMode: '={{ $json.c }}', value: null, schema: [] }],
		['all values', { mappingMode: 'defineBelow', value: '={{ $json.c }}', schema: [] }],
		['everything', '={{ $json.c }}'],
	])('refuse an expression that evaluates to nothing for %s', async (_case, columns) => {
		const { failed } = await run({ ...automatic(), columns } as INodeParameters, [
			{ phone: '+4915123456781' },
		]);
		expect(failed).toMatchObject([{ error: expect.stringMatching(/^'Columns' is /) }]);
		expect(sandbox.requests).toEqual([]);
	});
});

describe('the settings of a sync', () => {
	const items = [{ phone: '+4915123456781' }, { phone: '+4915123456782', dry: false }];

	test('are those of the first item, even if others cannot be read', async () => {
		const { json } = await runSync(
			sandbox,
			[{ ...items[0], dry: true }, items[1], items[0]],
			automatic({ dryRun: '={{ $json.dry }}' }),
		);
		expect(actionsOf(json)).toEqual(['wouldCreate', 'wouldCreate', 'wouldCreate']);
		expect(writes(sandbox)).toEqual([]);
	});

	test('are not those of the second item if the first has none', async () => {
		const { error } = await runSync(sandbox, items, automatic({ dryRun: '={{ $json.dry }}' }));
		expect(error?.message).toMatch("'Dry Run' is empty: its expression has no value for this item");
		expect(sandbox.requests).toEqual([]);
	});

	test('apply even if the first item is otherwise invalid', async () => {
		const { json } = await runSync(
			sandbox,
			[
				{ ...items[0], dry: true, a: '[' },
				{ ...items[1], a: '{}' },
			],
			automatic({ dryRun: '={{ $json.dry }}', attributesJson: '={{ $json.a }}' }),
		);
		expect(json).toMatchObject([
			{ sync: { action: 'invalid', note: expect.stringMatching(/^'Attributes \(JSON\)' is not/) } },
			{ sync: { action: 'wouldCreate' } },
		]);
		expect(writes(sandbox)).toEqual([]);
	});

	test.each(['yes', 1, 0, 'TRUE', 'false '])('are refused with a dry run of %p', async (dry) => {
		const { failed } = await run(automatic({ dryRun: '={{ $json.dry }}' }), [{ ...items[0], dry }]);
		expect(failed).toMatchObject([{ error: `'Dry Run' is ${JSON.stringify(dry)}` }]);
		expect(sandbox.requests).toEqual([]);
	});
});
