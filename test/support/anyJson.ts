import * as fc from 'fast-check';

import type { JsonObject } from '../../nodes/WorkspaceCrm/domain/plainData';

/** Names of parts, some of which every object inherits. */
const key = fc.oneof(
	fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'toString', '0', ''),
	fc.string({ maxLength: 3 }),
);
/** A JSON object, with objects and lists in it. */
export const { object: anyJson } = fc.letrec<{ object: JsonObject; value: unknown }>((tie) => ({
	object: fc
		.array(fc.tuple(key, tie('value')), { maxLength: 5 })
		.map((entries) => Object.fromEntries(entries)),
	value: fc.oneof(
		{ depthSize: 'small', withCrossShrink: true },
		fc.constantFrom<unknown>(null, true, 0, -1.5, '', 'text', [], [1, { a: 2 }], [[]]),
		tie('object'),
	),
}));
