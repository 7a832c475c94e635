import * as fc from 'fast-check';
import { checkSync } from 'recheck';

import { readPhoneText } from '../../nodes/WorkspaceCrm/domain/phone';
import { InputProblem } from '../../nodes/WorkspaceCrm/domain/inputProblem';
import { process } from '../../tools/support/platform';
import {
	hidden,
	literals,
	readPatterns,
	watchMade,
	type Pattern,
} from '../support/shippedPatterns';
import { thrownBy } from '../support/thrownBy';

// In this process: the other ways need Java, or a program for each platform.
process.env.RECHECK_SYNC_BACKEND = 'pure';

/** Patterns that may take longer than by the length of a text, but see only short ones. */
interface Bounded {
	sources: string[];
	file: string;
	/** How many characters they see at most, and where that is made sure. */
	bound: number;
	where: string;
	assertBound: (bound: number) => void;
}

const DAY = '(?:0?[1-9]|[12]\\d|3[01])';
const MARK = '([./]| ?- ?)';

const BOUNDED: Bounded[] = [
	{
		file: 'nodes/WorkspaceCrm/domain/writtenPhone.ts',
		bound: 61,
		where:
			'`whatElse` cuts a text, and `readPhoneText` refuses a longer one, before `partsOf` sees it',
		sources: [
			'\\( ?(\\+? ?\\d(?:[ -]?\\d{1,5})?) ?\\)(?=(?:\\D*\\d){3})',
			'(?<=\\d{7,} |\\d{6,}[./])\\d{2,3}$',
			'(?<=^[^.]*\\.| - )\\d\\d$',
			'(?<=^(0\\d\\d+) .*[ -])\\1 .*$',
			'(?<=\\d{5,} - |\\d{7,}-(?=\\d{5})|^0\\d{1,4} \\d{5,} )\\d{4,}$',
			'(?<=^(?:[^/\\d]*\\d){4,}[^/\\d]*)\\/[^/]*$',
			`^${DAY}${MARK}${DAY}\\1(?:(?:19|20)\\d\\d(?: .*)?|\\d\\d(?: \\d\\d?\\.\\d\\d.*)?)$`,
			`^(?:19|20)\\d\\d${MARK}${DAY}(?:\\1${DAY}(?: .*)?)?$`,
		],
		assertBound(bound) {
			const unit = fc.constantFrom(...'0123456789 +-/.()', '٣', 'E', 'x');
			const text = fc.string({ unit, minLength: bound, maxLength: 3 * bound });
			const lengthOf = (read: string) => {
				try {
					return readPhoneText(read).length;
				} catch {
					return 0;
				}
			};
			fc.assert(fc.property(text, (read) => expect(lengthOf(read)).toBeLessThan(bound)));
			thrownBy(InputProblem, () => readPhoneText(`${'(1) '.repeat(bound)}1`));
		},
	},
];

const made = watchMade();
const patterns = [...literals, ...made.patterns];

/** Whether the time that it takes is at most proportional to the length of a text. Where that is unknown: no. */
function isLinear({ source, flags }: Pick<Pattern, 'source' | 'flags'>, timeout = 60_000): boolean {
	// Without a repetition that has no end, it looks at a fixed number of characters at each place.
	const outsideClasses = source.replace(/\\./gsu, 'x').replace(/\[[^\]]*\]/gu, 'x');
	if (!/[*+]|\{\d+,\}/.test(outsideClasses)) return true;
	return checkSync(source, flags, { checker: 'automaton', timeout }).status === 'safe';
}

const isBounded = ({ file, source }: Pattern) =>
	BOUNDED.some((each) => each.file === file && each.sources.includes(source));

test('no pattern takes longer than by the length of a text', () => {
	const others = patterns.filter((pattern) => !isBounded(pattern));
	expect(others.length).toBeGreaterThan(90);
	const slow = others.filter((pattern) => !isLinear(pattern));
	expect(slow.map(({ file, line, source }) => `${file}:${line} ${source}`)).toEqual([]);
});

test('every pattern is known: none is made where it cannot be watched', () => {
	expect(hidden).toEqual([]);
	expect(made.unseen).toEqual([]);
	expect(made.patterns.length).toBeGreaterThan(15);
});

describe.each(BOUNDED)(
	'the bound of patterns in $file: $where',
	({ file, sources, bound, ...own }) => {
		it('is kept', () => own.assertBound(bound));

		it.each(sources)('%s is still there, and needs it', (source) => {
			const found = patterns.find((each) => each.file === file && each.source === source);
			expect(found).toBeDefined();
			expect(isLinear({ source, flags: found!.flags }, 200)).toBe(false);
		});
	},
);

/** All were in this code once. */
const OLD: Array<[source: string, flags: string]> = [
	['(?:\\s|\\p{Cf}|(?!\\s)\\p{Cc}|(?<!x)[\\u200d\\u200c]|[\\u200d\\u200c](?!x))+$', 'gu'],
	['\\S*\\s*$', ''],
	['\\{\\{[^]*?\\}\\}', ''],
	['"((?:[^"\\\\]|\\\\.)*)"|\'((?:[^\'\\\\]|\\\\.)*)\'|`((?:[^`\\\\]|\\\\.)*)`', 'g'],
	['\\s+\\S*$', 'u'],
	['(?<=[\\p{Script=Latin}\\p{Script=Greek}]\\p{Mn}*)\\p{Mn}', 'gu'],
	['\\( ?(\\+? ?\\d(?:[ -]?\\d{1,5})?) ?\\)(?=(?:\\D*\\d){3})', 'g'],
	['(?<=^(?:[^/\\d]*\\d){4,}[^/\\d]*)\\/[^/]*$', ''],
	['"(?:[^"\\\\]|\\\\.)*"|[+\\d][\\d-]*', 'g'],
	['([^:;]+):(\\d)([^;]*)', 'g'],
	['\\/+(v1\\/*)?$', ''],
	['\\/*$', ''],
	['(a|a)+$', ''],
];

test.each(OLD)('/%s/%s is not accepted', (source, flags) => {
	expect(isLinear({ source, flags }, 500)).toBe(false);
});

test('a pattern that is made out of sight is noticed', () => {
	const {
		literals: found,
		made: sites,
		hidden: others,
	} = readPatterns(
		'x.ts',
		[
			"const Other = RegExp; const by = RegExp('a+$'); const type: RegExp = /b+/gu;",
			"const sure = new RegExp('c'); text.match('d+$'); text.search(`e${f}`); list.includes('g');",
		].join('\n'),
	);
	expect(found).toEqual([{ file: 'x.ts', line: 1, source: 'b+', flags: 'gu' }]);
	expect(sites.map(({ line }) => line)).toEqual([2]);
	expect(others.map(({ line }) => line)).toEqual([1, 1, 2, 2]);
});
