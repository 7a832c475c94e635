import * as fc from 'fast-check';

import { anyCharacter } from '../support/anyCharacter';

/** Texts that people see as the same are the same, in whatever way they are encoded. */

/** Changes to a text that nobody sees. Written out, so that the test does not share the code's rule. */
const invisibly: Array<(text: string) => string> = [
	(text) => text.normalize('NFC'),
	(text) => text.normalize('NFD'),
	(text) => ` ${text}\t`,
	(text) => `\u200b${text}\ufeff`,
	(text) => `\u00a0${text}\u00ad`,
];
const visible = /^[\p{L}\p{N}\p{S}](?:[\p{L}\p{N}\p{P}\p{S} ]*[\p{L}\p{N}\p{S}])?$/u;
export const text = fc
	.string({
		unit: fc.oneof(anyCharacter, fc.constantFrom(...'aéüßñ가が')),
		minLength: 1,
		maxLength: 12,
	})
	.filter(
		(each) =>
			visible.test(each) &&
			visible.test(each.normalize('NFD')) &&
			!/[,\u2800\u3164\u115f\u1160\uffa0]/u.test(each) &&
			!/ {2}/.test(each),
	)
	.map((each) => `t${each}`);
export const spelling = fc.constantFrom(...invisibly);

/** A place where a text of the user meets one of the service or of the input. */
export type Comparison = [where: string, areSame: (one: string, other: string) => boolean];

export function testComparisons(...comparisons: Comparison[]): void {
	test.each(comparisons)('%s: a text is itself in every encoding', (_, areSame) => {
		fc.assert(
			fc.property(text, spelling, spelling, (each, one, other) => {
				expect([each, areSame(one(each), other(each))]).toEqual([each, true]);
			}),
			{ numRuns: 200 },
		);
	});
}
