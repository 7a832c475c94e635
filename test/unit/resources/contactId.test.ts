import * as fc from 'fast-check';

import { readContactId } from '../../../nodes/WorkspaceCrm/resources/contactId';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/problem';
import { thrownBy } from '../../support/thrownBy';

const ID = '3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b';

describe('a contact ID', () => {
	it('is any UUID, in any case and with blanks around it', () => {
		fc.assert(
			fc.property(fc.uuid(), fc.constantFrom('', ' ', '\n', '\t '), (id, blank) => {
				expect(readContactId(`${blank}${id}${blank}`)).toBe(id);
				expect(readContactId(id.toUpperCase())).toBe(id.toUpperCase());
			}),
		);
	});

	it('is nothing that differs from a UUID in one character', () => {
		const change = fc.tuple(
			fc.nat(ID.length - 1),
			fc.constantFrom('', 'g', '-', '/', '..', ' ', 'é'),
		);
		fc.assert(
			fc.property(change, ([at, replacement]) => {
				const text = ID.slice(0, at) + replacement + ID.slice(at + 1);
				fc.pre(text !== ID);
				expect(() => readContactId(text)).toThrow(InputProblem);
			}),
			{ numRuns: 300 },
		);
	});

	it.each(['', ' ', 'undefined', '[object Object]', '+4915123456789', `{${ID}}`, `${ID}\n${ID}`])(
		'is not %j',
		(text) => {
			const read = () => readContactId(text);
			expect(read).toThrow(InputProblem);
			expect(read).toThrow(`${JSON.stringify(text)} is not a contact ID`);
		},
	);

	it('comes with an example that is one, when it is refused', () => {
		const problem = thrownBy(InputProblem, () => readContactId('x'));
		const [example] = /[0-9a-f]+(-[0-9a-f]+){4}/.exec(problem.remedy) ?? [];
		expect(readContactId(String(example))).toBe(example);
		expect(problem.remedy).toContain("choose 'Phone'");
	});
});
