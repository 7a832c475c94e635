const LENGTH = 100_000;

/** What patterns, normalization and parsers take long for, between letters or by itself. */
const PARTS: ReadonlyArray<[start: string, unit: string, end: string]> = [
	['Ann', ' ', 'Lee'],
	['', '\u00a0', 'Lee'],
	['Ann', '\u200c\u00a0', 'Lee'],
	['', '\u200b\n', '.'],
	['a', '\u0301', ''],
	// Marks in the wrong order have to be sorted.
	['https://', '\u0301\u0323', '.example.com/'],
	['', '\ude00\ud83d', ''],
	['Hi {{ ', '{{ a', ''],
	['{"a": ', '"', ''],
	['"', '\\"', ' said: '],
	['', 'a,', ''],
	['+', '1', ''],
	['+49 (0) ', '1 ', 'x'],
	['1', '(0)', '.'],
	['', '/', 'v1'],
	['https://a/', '1/..', '/'],
	['2026-01-01 10:00', ' -', '1'],
	['', '[', ']'],
	['<', '&+', ';'],
	['yes', '!', '?'],
	['*', 'é日1\u200d "E%', '*'],
	['👩', '\u200d👩🏽\ufe0f', ''],
	['🏴', '\u{e0067}', '\u{e007f}'],
	['', '🇩', 'a'],
	['A', '\u3164ᄀ', 'B'],
	// In NFKC, 18 times as long.
	['', 'ﷺ', 'a'],
	['', 'ﷺa', ''],
];

/** Texts of about 100,000 characters, by what repeats in them. */
export const LONG_TEXTS = PARTS.map(([start, unit, end]): [name: string, long: string] => [
	JSON.stringify(unit),
	start + unit.repeat(LENGTH / unit.length) + end,
]);
