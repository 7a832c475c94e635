import * as fc from 'fast-check';

import { seal, unseal } from '../../../../../nodes/WorkspaceCrm/resources/message/ask/waitState';
import { executionAt } from './waitContext';
import { anyCharacter } from '../../../../support/anyCharacter';

test('sealed text is readable only in the same node of the same execution', () => {
	fc.assert(
		fc.property(fc.string({ unit: anyCharacter }), fc.string(), (text, other) => {
			const here = executionAt();
			const sealed = seal(here, text);
			expect(unseal(here, sealed)).toBe(text);
			expect(unseal(executionAt({ executionId: `1${other}` }), sealed)).toBe(
				other === '' ? text : undefined,
			);
			expect(unseal(executionAt({ nodeId: 'other' }), sealed)).toBeUndefined();
			expect(unseal(executionAt({ n8nSecret: 'other' }), sealed)).toBeUndefined();
		}),
	);
});

test('sealed text shows nothing, and never looks the same', () => {
	const here = executionAt();
	const [first, second] = [seal(here, 'signing-secret'), seal(here, 'signing-secret')];
	expect(first).not.toBe(second);
	expect(Buffer.from(first, 'base64').toString('latin1')).not.toContain('signing');
});

test('changed or cut text is not readable', () => {
	const here = executionAt();
	const bytes = Buffer.from(seal(here, 'signing-secret'), 'base64');
	for (const index of bytes.keys()) {
		const changed = Buffer.from(bytes);
		changed[index] ^= 1;
		expect(unseal(here, changed.toString('base64'))).toBeUndefined();
		expect(unseal(here, bytes.subarray(0, index).toString('base64'))).toBeUndefined();
	}
});
