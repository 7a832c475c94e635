/**
 * What strangers write into names, reasons and fields, and what a person should see of it: the same text,
 * without anything that a page or a terminal would interpret.
 */
export const HOSTILE_TEXTS: ReadonlyArray<readonly [written: string, seen: string]> = [
	[
		'<b style="color:red;position:fixed;inset:0">evil 1</b>',
		'‹b style="color:red;position:fixed;inset:0"›evil 1‹/b›',
	],
	[
		'<a href="https://evil.example.com">evil 2</a>',
		'‹a href="https://evil.example.com"›evil 2‹/a›',
	],
	['<img src="https://evil.example.com/3.png">', '‹img src="https://evil.example.com/3.png"›'],
	['<svg onload="evil()"><p>evil 4</p></svg>', '‹svg onload="evil()"›‹p›evil 4‹/p›‹/svg›'],
	['<iframe src="//evil.example.com"></iframe>', '‹iframe src="//evil.example.com"›‹/iframe›'],
	['<style>body{color:red}</style>', '‹style›body{color:red}‹/style›'],
	['&lt;b&gt;evil 7 &#8238;&#10;', '& lt;b& gt;evil 7 & #8238;& #10;'],
	['`evil 8` [evil](https://evil.example.com)', "'evil 8' [evil](https://evil.example.com)"],
	['AT&T \u202e\u200bevil\u2066 9\u0007\u001b[31m\n\u0085\u2028<', 'AT&T evil 9 [31m ‹'],
];

/** All of them in one text. */
export const HOSTILE_TEXT = HOSTILE_TEXTS.map(([written]) => written).join(' ');

/** Characters that must not be shown: control characters, and those that turn or join text. */
export const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/u;

/** It contains no markup and no invisible characters; with `whole`, everything that was written is readable. */
export function expectPlain(text: unknown, whole = true): void {
	// Our own line breaks; those of others have other brackets.
	expect(String(text).replaceAll('<br>', '')).not.toMatch(/[<>`]|&lt;|&#/);
	expect(String(text)).not.toMatch(UNSEEN);
	if (whole) for (const [, part] of HOSTILE_TEXTS) expect(text).toContain(part);
}
