import * as fc from 'fast-check';

import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/inputProblem';
import { readContactId } from '../../../nodes/WorkspaceCrm/resources/fields/contactReference';
import { thrownBy } from '../../support/thrownBy';

test('a contact ID is any UUID, in any case, with blanks around it', () => {
	fc.assert(
		fc.property(fc.uuid(), fc.constantFrom('', ' ', '\n', '\t '), (id, blank) => {
			expect(readContactId(`${blank}${id}${blank}`)).toBe(id);
			expect(readContactId(id.toUpperCase())).toBe(id.toUpperCase());
		}),
	);
});

test('a UUID with one wrong character is refused, and the error shows an example', () => {
	const ID = '3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b';
	const other = fc.constantFrom('', 'g', '-', '/', '..', ' ', 'é');
	fc.assert(
		fc.property(fc.nat(ID.length - 1), other, (at, replacement) => {
			const text = ID.slice(0, at) + replacement + ID.slice(at + 1);
			fc.pre(text !== ID);
			const { message, description } = thrownBy(InputProblem, () => readContactId(text));
			expect(message).toBe(`${JSON.stringify(text)} is not a contact ID`);
			const [example] = /[0-9a-f]+(-[0-9a-f]+){4}/.exec(description) ?? [];
			expect(readContactId(String(example))).toBe(example);
		}),
	);
});
