import * as fc from 'fast-check';
import { anyCharacter } from '../../support/anyCharacter';

/** The signing secret of a subscription. */
export const secret = fc.string({ minLength: 1, maxLength: 80, unit: anyCharacter });

const json = fc.oneof(
	fc.json({ maxDepth: 3 }),
	fc
		.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' })
		.map((value) => JSON.stringify(value, null, 2)),
	fc.string({ unit: anyCharacter, maxLength: 200 }).map((text) => JSON.stringify({ event: text })),
);

/** The body of a delivery: JSON of any kind, or any bytes. */
export const body = fc.oneof(
	json.map((text) => Buffer.from(text)),
	fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
);
