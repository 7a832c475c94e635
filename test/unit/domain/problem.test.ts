import * as fc from 'fast-check';

import { InputProblem, wrongValue } from '../../../nodes/WorkspaceCrm/domain/problem';

describe('a problem with the input', () => {
	it('says what is wrong and what to do, under a name of its own', () => {
		const problem = new InputProblem("'Phone' is empty", 'Enter one.');
		expect(String(problem)).toBe("InputProblem: 'Phone' is empty");
		expect(problem.remedy).toBe('Enter one.');
	});
});

describe('a value of the wrong kind', () => {
	const circular: { self?: object } = {};
	circular.self = circular;

	it.each([
		['x', '\'Opt In\' is "x"'],
		[{ a: 1 }, '\'Opt In\' is {"a":1}'],
		[null, "'Opt In' is null"],
		[undefined, "'Opt In' is nothing"],
		[() => {}, "'Opt In' is a function"],
		[5n, "'Opt In' is 5"],
		[circular, "'Opt In' is an object that contains itself"],
	])('is shown as it was given: %p', (value, message) => {
		const problem = wrongValue('Opt In', value, 'true or false');
		expect(problem).toBeInstanceOf(InputProblem);
		expect(problem.message).toBe(message);
		expect(problem.remedy).toBe(
			'It should be true or false. Check the field, or the expression in it.',
		);
	});

	it('is shown whole up to 80 characters; beyond that, it says how much is cut', () => {
		fc.assert(
			fc.property(fc.nat(200), (length) => {
				const value = 'ab'.repeat(length).slice(0, length);
				const { message } = wrongValue('Tags', value, 'text');
				const shown = JSON.stringify(value);
				const cut = `${shown.slice(0, 80)}… (${shown.length - 80} more characters)`;
				expect(message).toBe(`'Tags' is ${shown.length <= 80 ? shown : cut}`);
			}),
		);
		expect(wrongValue('Tags', 'a'.repeat(78), 'text').message).not.toContain('…');
		expect(wrongValue('Tags', 'a'.repeat(79), 'text').message).toContain('…');
	});
});
