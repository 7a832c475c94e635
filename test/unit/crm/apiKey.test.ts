import * as fc from 'fast-check';

import { readApiKey } from '../../../nodes/WorkspaceCrm/crm/apiKey';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/inputProblem';
import { http } from '../../../tools/support/platform';

/** Whether Node accepts it as the value of a header. */
function isSendable(text: string): boolean {
	try {
		http.validateHeaderValue('x-api-key', text);
		return true;
	} catch {
		return false;
	}
}

test.each([undefined, null, '', ' \n', 'undefined', 'null', 'NaN', {}, [], true, NaN])(
	'%j is no API key',
	(value) => {
		expect(() => readApiKey(value)).toThrow('The API key is empty');
	},
);

test.each(['Bearer key-1', 'bearer  key-1'])('the API key in %j is key-1', (value) => {
	expect(readApiKey(value)).toBe('key-1');
});

test('the API key is trimmed, and refused if no header can hold it', () => {
	const odd = fc.constantFrom(
		...['\t', '\n', '\u0000', '\u007f', '\u0080', '\u200b', 'ü', '\u00ff', '€'],
	);
	const text = fc.string({ unit: fc.oneof(fc.string({ minLength: 1, maxLength: 1 }), odd) });
	fc.assert(
		fc.property(text, (given) => {
			const key = given.trim();
			if (key !== '' && isSendable(key)) expect(readApiKey(` \n${given}\t `)).toBe(key);
			else expect(() => readApiKey(given)).toThrow(InputProblem);
		}),
	);
});
