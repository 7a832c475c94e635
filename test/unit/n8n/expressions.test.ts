import fc from 'fast-check';

import { outlineOf } from '../../../nodes/WorkspaceCrm/n8n/expressions';

/** Code, the same without what is no code, and the texts that it quotes. */
const PARTS: Array<[code: string, outline: string, quoted: string[]]> = [
	['$json.a', '$json.a', []],
	['( $json.n / 2 )', '($json.n/2)', []],
	['1 /* "no" */', '1', []],
	["2 // 'no'\n", '2', []],
	['"/"', '"…"', ['/']],
	["''", '""', ['']],
	[String.raw`'it\'s "so"'`, '"…"', [String.raw`it\'s "so"`]],
	['`a ${ $json.b } "c"`', '"…"${$json.b"…"', ['a ', ' "c"']],
	['`${ { d: `}` }.d }`', '""${{d:"…"}.d""', ['', '}', '']],
	['$json.c.match(/ab/)', '$json.c.match("…")', []],
	['$json.c.match(/a"b/)', '$json.c.match("…")', []],
	[String.raw`$json.c.match(/\/'/)`, '$json.c.match("…")', []],
	[`$json.c.replace(/[/"]'?/g, "x")`, '$json.c.replace("…"g,"…")', ['x']],
];

test('tells quoted texts, comments and patterns from code, whatever stands beside them', () => {
	fc.assert(
		fc.property(fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 6 }), (parts) => {
			expect(outlineOf(parts.map(([code]) => code).join(' + '))).toEqual({
				code: parts.map(([, outline]) => outline).join('+'),
				quoted: parts.flatMap(([, , quoted]) => quoted),
			});
		}),
		{ numRuns: 300 },
	);
});

test('a text that code only compares with is not written anywhere', () => {
	const { quoted } = outlineOf(`$json.a === 'x' ? 'y' : "z" !== $json.b`);
	expect(quoted).toEqual(['y']);
});
