import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { mapAutomatically } from '../../../../nodes/WorkspaceCrm/resources/contact/sync/automaticMapping';
import { spelling, testComparisons, text } from '../../spellings';
import { addContact, useSandbox, writes } from '../../support';
import { actionsOf, automatic, runSync } from './syncNode';

const sandbox = useSandbox({ limiter: { kind: 'off' } });

const phone = '+4915123456789';

testComparisons([
	'columns and attributes',
	(name, column) => {
		const item = { [column]: 1 };
		const values = mapAutomatically([`attributes.${name}`], 'ignore', [item]).map(item);
		return `attributes.${name}` in values;
	},
]);

test('a sync changes nothing where only the spelling differs', async () => {
	await fc.assert(
		fc.asyncProperty(text, spelling, spelling, async (each, inCrm, inSheet) => {
			sandbox.reset();
			const stored = inCrm(each);
			addContact(sandbox, {
				phone,
				name: stored,
				tags: [stored],
				attributes: { [stored]: stored },
			});
			const written = inSheet(each);
			const row: IDataObject = {
				phone,
				name: written,
				tags: [written],
				[`attributes.${written}`]: written,
			};
			const { json, error } = await runSync(sandbox, [row], automatic({ tagMode: 'match' }));
			expect([error, actionsOf(json), writes(sandbox)]).toEqual([undefined, ['unchanged'], []]);
		}),
		{ numRuns: 40 },
	);
});

test.each([
	['Café', 'Cafe\u0301'],
	['vip', 'vip\u200b'],
	['new', ' new'],
	['e\u2011mail', 'e-mail'],
	['e-mail', 'e\u2010mail'],
])('Match keeps the tag %s, written otherwise, and adds no look-alike', async (stored, written) => {
	addContact(sandbox, { phone, tags: [stored] });
	await runSync(sandbox, [{ phone, tags: [written] }], automatic({ tagMode: 'match' }));
	expect(writes(sandbox)).toEqual([]);
});

test('a column in the other encoding is the attribute that the contact has', async () => {
	addContact(sandbox, { phone, attributes: { Größe: 'M' } });
	const options = { otherColumns: 'attributes' };
	await runSync(sandbox, [{ phone, ['Größe'.normalize('NFD')]: 'L' }], automatic(options));
	expect(writes(sandbox).map(({ body }) => body)).toEqual([{ attributes: { Größe: 'L' } }]);
});

test('a cell "null" of an export is nothing, also in a list and in an object', async () => {
	addContact(sandbox, { phone, tags: ['vip'], attributes: { city: 'Bonn' } });
	const row = { phone, tags: ['null'], attributes: { city: 'null', size: {} } };
	await runSync(sandbox, [row], automatic({ tagMode: 'match' }));
	expect(writes(sandbox)).toEqual([]);
});

test('an invisible style character makes no other tag', async () => {
	addContact(sandbox, { phone, tags: ['vip', '❤️'] });
	await runSync(sandbox, [{ phone, tags: ['vip\ufe0f', '❤️'] }], automatic({ tagMode: 'match' }));
	expect(writes(sandbox)).toEqual([]);
});
