import * as fc from 'fast-check';

import { InputProblem } from '../../../../nodes/WorkspaceCrm/domain/problem';
import { readMention, readRow } from '../../../../nodes/WorkspaceCrm/domain/sync/row';

const phone = '+4915123456789';
const columns = [
	'name',
	'locale',
	'source',
	'tags',
	'opt_in',
	'consent_proof',
	'attributes',
	'attributes.a',
];
const types = new Map([['attributes.a', 'number']]);

describe('a row', () => {
	it('gives nothing for what is blank, of whatever type its column is', () => {
		const blank = fc.constantFrom(undefined, null, '', ' ', '\t\n');
		const type = fc.constantFrom('string', 'number', 'boolean', 'array', 'object');
		fc.assert(
			fc.property(fc.array(blank, { minLength: 8, maxLength: 8 }), type, (blanks, kind) => {
				const values = Object.fromEntries(columns.map((id, index) => [id, blanks[index]]));
				const read = readRow(
					{ values: { ...values, phone }, attributes: { b: blanks[0] } },
					new Map([['attributes.a', kind]]),
				);
				expect(read).toEqual({ row: { phone, fields: {} } });
			}),
		);
	});

	it('gives what is there as it is on the wire', () => {
		const values = {
			phone: ' +49 1512 3456789',
			name: 5,
			locale: true,
			source: new Date(0),
			tags: [' a', 'a', 7],
			opt_in: 1,
			consent_proof: ' as it is ',
			attributes: { a: '1', d: new Date(0), big: 5n, '': 'blank name' },
			'attributes.a': '1.50',
		};
		expect(readRow({ values, attributes: { c: [undefined] } }, types)).toEqual({
			row: {
				phone,
				fields: {
					name: '5',
					locale: 'true',
					source: '1970-01-01T00:00:00.000Z',
					tags: ['a', '7'],
					opt_in: true,
					consent_proof: ' as it is ',
					attributes: {
						a: 1.5,
						d: '1970-01-01T00:00:00.000Z',
						big: '5',
						'': 'blank name',
						c: [null],
					},
				},
			},
		});
	});

	it.each([
		[true, true],
		[false, false],
		['TRUE', true],
		[' no ', false],
		['1', true],
		[0, false],
	])('reads %j as consent %j', (value, expected) => {
		expect(readRow({ values: { phone, opt_in: value } }, types)).toMatchObject({
			row: { fields: { opt_in: expected } },
		});
	});

	it('has the country only where the number could not be read', () => {
		const read = (text: unknown, country?: unknown) =>
			readRow({ values: { phone: text }, country }, types);
		expect(read('01512 3456789', 'germany')).toEqual({ row: { phone, fields: {} } });
		expect(read('0199 123456', 'DE')).toEqual({
			row: { phone: '0199 123456', country: 'DE', fields: {} },
		});
		expect(read('0199 123456')).toEqual({ row: { phone: '0199 123456', fields: {} } });
		expect(read(4915123456789)).toEqual({ row: { phone: '4915123456789', fields: {} } });
	});

	it('that cannot be read says why, and has a phone as far as it can be read', () => {
		const unreadable = { values: { phone: 'x' } };
		expect(readRow(unreadable, types)).toEqual({
			problem: expect.any(InputProblem) as InputProblem,
		});
		expect(readMention(unreadable)).toBeUndefined();
		const broken = { values: { phone: '+49 1512 3456789', 'attributes.a': 'x' } };
		expect(readRow(broken, types)).toEqual({
			problem: expect.objectContaining({ message: '\'Attribute: a\' is "x"' }) as InputProblem,
		});
		expect(readMention(broken)).toEqual({ typed: '+49 1512 3456789', number: phone });
		expect(readMention({ values: { phone: '01512 3456789' }, country: 'Atlantis' })).toEqual({
			typed: '01512 3456789',
		});
	});
});
