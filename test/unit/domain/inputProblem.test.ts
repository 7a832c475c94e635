import 'n8n-workflow';

import { InputProblem, wrongValue } from '../../../nodes/WorkspaceCrm/domain/inputProblem';

const circular: { self?: object } = {};
circular.self = circular;

test.each([
	['x', '"x"'],
	[{ a: 1 }, '{"a":1}'],
	[null, 'null'],
	[undefined, 'nothing'],
	[() => {}, 'a function'],
	// n8n-workflow gives these a toJSON.
	[5n, '"5"'],
	[circular, 'an object that contains itself'],
	// Whole up to 80 characters; beyond that, it says how much is cut.
	['a'.repeat(78), `"${'a'.repeat(78)}"`],
	['a'.repeat(100), `"${'a'.repeat(79)}… (22 more characters)`],
])('a wrong value is shown as given, with what it should be: %p', (value, shown) => {
	const problem = wrongValue('Opt In', value, 'true or false');
	expect(problem).toBeInstanceOf(InputProblem);
	expect(String(problem)).toBe(`InputProblem: 'Opt In' is ${shown}`);
	expect(problem.description).toBe(
		'It should be true or false. Check the field, or the expression in it.',
	);
});
