import fc from 'fast-check';

import { outlineOf } from '../../../nodes/WorkspaceCrm/n8n/expressions';

/** Code, and the same without what is no code. */
const PARTS: Array<[code: string, outline: string]> = [
	['$json.a', '$json.a'],
	['( $json.n / 2 )', '($json.n/2)'],
	['1 /* "no" */', '1'],
	["2 // 'no'\n", '2'],
	['3 /* a ** b **/', '3'],
	['"/"', '"…"'],
	["''", '""'],
	[String.raw`'it\'s "so"'`, '"…"'],
	['`a ${ $json.b } "c"`', '"…"'],
	['``', '""'],
	['$json.c.match(/ab/)', '$json.c.match("…")'],
	['$json.c.match(/a"b/)', '$json.c.match("…")'],
	[String.raw`$json.c.match(/\/'/)`, '$json.c.match("…")'],
	[`$json.c.replace(/[/"]'?/g, "x")`, '$json.c.replace("…"g,"…")'],
	['( /* x */ $json.d )', '($json.d)'],
];

test('tells quoted texts, comments and patterns from code, whatever stands beside them', () => {
	fc.assert(
		fc.property(fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 6 }), (parts) => {
			expect(outlineOf(parts.map(([code]) => code).join(' + '))).toBe(
				parts.map(([, outline]) => outline).join('+'),
			);
		}),
		{ numRuns: 300 },
	);
});

test.each([
	['"a', '"…"'],
	["'a\\", '"…"'],
	['1 + `a ${', '1+"…"'],
	['/a', '"…"'],
	['1 /* a', '1'],
])('what is not closed goes on to the end: %s', (code, outline) => {
	expect(outlineOf(code)).toBe(outline);
});
