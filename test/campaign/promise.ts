import type { Requirement } from '../bench/output/table';

const SHOWN = 3;

/** A promise that holds if nothing speaks against it. What does is told with the promise. */
export function promise(text: string, problems: string[], looked: string): Requirement {
	const more = problems.length > SHOWN ? `; and ${problems.length - SHOWN} more` : '';
	const against = `${problems.slice(0, SHOWN).join('; ')}${more}`;
	return {
		text,
		measured: problems.length === 0 ? looked : `**${against}**`,
		isMet: problems.length === 0,
	};
}

/** What differs from what is expected, in words; nothing if it is the same. */
export function unless(what: string, actual: unknown, expected: unknown): string[] {
	const [is, shouldBe] = [actual, expected].map((value) => JSON.stringify(value));
	return is === shouldBe ? [] : [`${what}: ${is} instead of ${shouldBe}`];
}
