import * as fc from 'fast-check';

import { readApiKey } from '../../../nodes/WorkspaceCrm/api/apiKey';
import { InputProblem } from '../../../nodes/WorkspaceCrm/domain/problem';
import { http } from '../../support/platform';

/** Whether Node takes it for the value of a header. */
function isSendable(text: string): boolean {
	try {
		http.validateHeaderValue('x-api-key', text);
		return true;
	} catch {
		return false;
	}
}

describe('the API key', () => {
	it('is taken as it is, without the blanks around it', () => {
		for (const key of ['', 'a', 'Ab1/+=%&"\\ü x', '\u00ff']) {
			expect(readApiKey(` \n${key}\t `)).toBe(key);
		}
	});

	it('is refused exactly where a header cannot hold it', () => {
		const text = fc.string({
			unit: fc.oneof(
				fc.string({ minLength: 1, maxLength: 1 }),
				fc.constantFrom('\t', '\u200b', 'ü', '€', '\u0000', '\n', '\u007f', '\u0080'),
			),
		});
		fc.assert(
			fc.property(text, (given) => {
				const key = given.trim();
				if (isSendable(key)) expect(readApiKey(given)).toBe(key);
				else expect(() => readApiKey(given)).toThrow(InputProblem);
			}),
		);
	});

	it('is not in the text that refuses it', () => {
		const key = 'key-4f1c\u200b';
		const { message, remedy } = (() => {
			try {
				return new InputProblem(readApiKey(key), '');
			} catch (error) {
				return error as InputProblem;
			}
		})();
		expect(message).toBe('The API key contains a character that cannot be sent');
		expect(remedy).toContain('paste the key again');
		expect(`${message} ${remedy}`).not.toContain('4f1c');
	});
});
