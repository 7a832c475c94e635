import * as fc from 'fast-check';

import { path } from '../../../nodes/WorkspaceCrm/api/urls';
import { anyCharacter } from '../../support/anyCharacter';

/** Texts that try to leave their segment, next to any other text. */
const tricks = ['%2e', '%2E%2e', '.%2e', '../..', '..\\', 'a/../../b', '__proto__', '?x=1', '#x'];
const text = fc
	.oneof(
		fc.string({ unit: anyCharacter, minLength: 1 }),
		fc.string({ unit: fc.constantFrom(...'/\\.%?#&;:@=+ \t\r\n\0\u007f2eE5cfFé😀'), minLength: 1 }),
		fc.constantFrom(...tricks),
	)
	.filter((value) => value !== '.' && value !== '..' && value.isWellFormed());

/** What becomes of values that cannot be a segment is in `workflow/paths`. */
test('a path holds each value in exactly one segment, whatever the value is', () => {
	fc.assert(
		fc.property(text, text, fc.constantFrom('', '/crm'), (id, name, base) => {
			const url = new URL(`https://crm.example.com${base}${path`/v1/contacts/${id}/tags/${name}`}`);
			expect(url.origin + url.search + url.hash).toBe('https://crm.example.com');
			const segments = url.pathname.slice(base.length).split('/');
			expect(segments).toEqual(['', 'v1', 'contacts', segments[3], 'tags', segments[5]]);
			expect([segments[3], segments[5]].map(decodeURIComponent)).toEqual([id, name]);
		}),
		{ numRuns: 1_000 },
	);
});
