/** How often each guess of the nodes is right, is not made, and is wrong. */
import {
	getCountries,
	getCountryCallingCode,
	parsePhoneNumberFromString,
	type CountryCode,
	type PhoneNumber,
} from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/metadata.max.json';

import { readPhone } from '../../nodes/WorkspaceCrm/domain/phone';
import { asName, asStored, asWord } from '../../nodes/WorkspaceCrm/domain/sameText';
import { readNames, yesNoOf } from '../../nodes/WorkspaceCrm/domain/typedValues';
import { isApproval } from '../../nodes/WorkspaceCrm/resources/message/ask/receiveReply';
import { sendAndWait } from '../../nodes/WorkspaceCrm/resources/message/ask/sendAndWait';
import * as data from './data';
import { cells, exports } from './headings.json';
import { dryRun, type Seen } from './sync';

type Case = [verdict: 'right' | 'asked' | 'wrong', example: string];
export type Measured = [guess: string, data: string, cases: Case[]];

const judge = (isAsked: boolean, isRight: boolean, example: string): Case => [
	isAsked ? 'asked' : isRight ? 'right' : 'wrong',
	example,
];
const judgeRow = ({ action }: Seen, isRight: boolean, example: string) =>
	judge(action === 'invalid', isRight, example);

export function words(): Measured[] {
	const known = data.yesAndNo();
	const stopWords = data.stopWords();
	const [, defaults = ''] =
		/"approvalWords".*?"default":"(.*?)"/.exec(JSON.stringify(sendAndWait)) ?? [];
	const approving = readNames(defaults, '');
	const meanings = ({ language, word }: data.Word) =>
		known.filter((each) => each.language === language && asWord(each.word) === asWord(word));
	const read = (word: string, meant?: boolean) => {
		const isYes = yesNoOf(word);
		return judge(isYes === undefined, isYes === meant, `${word}: ${isYes}`);
	};
	const replies = stopWords.map((each) => {
		const { language, word } = each;
		const isYes = approving.includes(asWord(word)) || meanings(each).some(({ isYes }) => isYes);
		return judge(false, isYes || !isApproval(word, approving), `${language}: ${word}`);
	});
	const answers = known.map(({ word, isYes }) => read(word, isYes));
	const others = stopWords.filter((each) => meanings(each).length === 0);
	const source = 'stop words of 60 languages';
	return [
		['A reply approves', source, replies],
		['Yes and no in `Opt In`', "CLDR's words of all languages", answers],
		['… of other words', source, others.map(({ word }) => read(word))],
	];
}

/** Valid mobile numbers of a country, made of its numbering plan. */
function mobilesOf(country: CountryCode): PhoneNumber[] {
	const types = (metadata.countries[country] as unknown[])[11] as Array<[string]> | undefined;
	const texts = data.textsMatching(types?.[1]?.[0] ?? '', 60);
	const numbers = texts.flatMap(
		(text) => parsePhoneNumberFromString(`+${getCountryCallingCode(country)}${text}`) ?? [],
	);
	const isMobile = (number: PhoneNumber) =>
		number.isValid() && number.country === country && /MOBILE/.test(number.getType() ?? '');
	return numbers.filter(isMobile).slice(0, 30);
}

/** Those of the most people. */
const COUNTRIES = 'IN CN US ID PK NG BR BD RU MX ET JP EG PH CD VN IR TR DE TH'.split(' ');

export function phones(): Measured[] {
	const mobiles = getCountries().flatMap(mobilesOf);
	const countries = new Set(mobiles.map(({ country }) => country)).size;
	const measured = (
		guess: string,
		write: (mobile: PhoneNumber) => string,
		defaultsFor: (own?: string) => Array<string | undefined> = (own) => [own],
		numbers = mobiles,
	): Measured => {
		const read = (mobile: PhoneNumber, country?: string): Case => {
			try {
				const { number } = readPhone(write(mobile), country as CountryCode | undefined);
				const example = `${write(mobile)} in ${country}: ${number}, not ${mobile.number}`;
				return judge(false, number === mobile.number, example);
			} catch {
				return ['asked', ''];
			}
		};
		const cases = numbers.flatMap((mobile) =>
			defaultsFor(mobile.country).map((country) => read(mobile, country)),
		);
		return [guess, `mobiles of ${countries} countries`, cases];
	};
	const national = (mobile: PhoneNumber) => mobile.formatNational();
	const withoutPlus = (mobile: PhoneNumber) => mobile.number.slice(1);
	const others = (own?: string) => COUNTRIES.filter((country) => country !== own);
	const some = mobiles.filter((_, index) => index % 6 === 0);
	return [
		measured('A number of Default Country', national),
		measured('… without its zero', ({ nationalNumber }) => nationalNumber),
		measured('… with its code, without plus', withoutPlus),
		measured('Without Default Country and plus', withoutPlus, () => [undefined]),
		measured("Another country's number", national, others, some),
	];
}

/** Each column of an export holds what its kind says: see `headings.json`. */
export async function columns(): Promise<Measured[]> {
	const found: Record<string, Case[]> = { phone: [], name: [], opt_in: [], tags: [] };
	const cellOf = (kind: string) => Object.entries(cells).find(([each]) => each === kind)?.[1];
	for (const [system, text] of Object.entries(exports)) {
		const fields = text.split(' | ').map((field) => field.split('='));
		const row = fields.map(([heading, kind]) => [heading, cellOf(kind) ?? 'x'] as const);
		const [seen] = await dryRun([{ cells: Object.fromEntries(row) }], { defaultCountry: 'DE' });
		const mobile = cells.mobile.replaceAll(' ', '');
		found.phone.push(judge(!seen.phone, seen.phone === mobile, `${system}: ${seen.phone}`));
		if (!seen.phone) continue;
		const compare = (column: string, value: unknown, kind: string, meant: string) => {
			const wanted = fields.some(([, each]) => each === kind) ? meant : undefined;
			const isAsked = value === undefined && (wanted !== undefined || seen.action === 'invalid');
			found[column].push(judge(isAsked, value === wanted, `${system}: ${value}`));
		};
		compare('name', seen.changes.name?.to, 'name', cells.name);
		compare('opt_in', seen.changes.opt_in?.to, 'messages', 'Yes');
		compare('tags', seen.changes.tags?.added?.join(), 'tags', cells.tags);
	}
	const source = `headings of ${Object.keys(exports).length} exports`;
	return Object.entries(found).map(([name, cases]) => [`The column of \`${name}\``, source, cases]);
}

/** What a cell holds, what should be saved of it, and what the CRM has; if nothing, not even the contact. */
type Cell = [cell: string | number, saved?: unknown, stored?: string | number];

/** The cells of an attribute, or names. */
async function inSync(column: 'name' | 'value', cells: readonly Cell[]): Promise<Case[]> {
	const rows = cells.map(([cell, , value]) => ({
		contact: value === undefined ? null : { attributes: { value } },
		cells: { [column]: cell },
	}));
	const all = await dryRun(rows, {});
	return cells.map(([cell, saved, stored], index) => {
		const { to } = all[index].changes[column === 'name' ? column : 'attributes.value'] ?? {};
		return judgeRow(all[index], to === saved, `${cell} over ${stored}: ${to}`);
	});
}

type Shown = [text: string, value: number];

/** Values as spreadsheets show them in all locales, each text once. */
function shown(values: number[], inLocale: (locale: string) => (value: number) => string): Shown[] {
	const all = Intl.NumberFormat.supportedLocalesOf(data.locales()).flatMap((locale) =>
		values.map((value): Shown => [inLocale(locale)(value), value]),
	);
	return [...new Map(all)];
}

const NUMBERS = [7, -42, 999, 1234, 12345, 600025, 975242, 1234567, 0.15, 12.5, 1234.5, -1234.56];
const numbersAs = (options: Intl.NumberFormatOptions) =>
	shown(
		NUMBERS,
		(locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 9, ...options }).format,
	);
const DAY = 86_400_000;
/** As the numbers that spreadsheets have for them. */
const DAYS = ['1971-05-31', '1990-01-02', '2026-07-02'].map(
	(day) => Date.parse(day) / DAY + 25_569,
);
const datesAs = (dateStyle: 'short' | 'medium') =>
	shown(DAYS, (locale) => {
		const format = new Intl.DateTimeFormat(locale, { dateStyle, timeZone: 'UTC' });
		return (day) => format.format((day - 25_569) * DAY);
	});

export async function values(): Promise<Measured[]> {
	const numbers = [...numbersAs({}), ...numbersAs({ useGrouping: false })];
	const prices = numbersAs({ style: 'currency', currency: 'EUR' });
	const texts = [...numbers, ...numbersAs({ style: 'percent' }), ...prices];
	const isText = ([text, number]: Shown) => asStored(text) !== String(number);
	const next = (number: number) => NUMBERS[(NUMBERS.indexOf(number) + 1) % NUMBERS.length];
	const same = numbers.map(([text, number]): Cell => [text, undefined, number]);
	const changed = numbers.map(([text, number]): Cell => [text, number, next(number)]);
	const over = (texts: Shown[]) => texts.map(([text, number]): Cell => [number, undefined, text]);
	const dates = [...datesAs('short'), ...datesAs('medium')];
	const source = 'formats of all locales';
	return [
		['A text over the same number', source, await inSync('value', same)],
		['A text over another number', source, await inSync('value', changed)],
		['A number over its text', source, await inSync('value', over(texts.filter(isText)))],
		["A date's number over its text", source, await inSync('value', over(dates))],
	];
}

export async function names(): Promise<Measured[]> {
	const all = [...new Set([...data.people(), ...data.places()])];
	/** A text in UTF-8, read as if it were in the encoding of Windows. */
	const misread = (text: string) =>
		new TextDecoder('windows-1252').decode(new TextEncoder().encode(text));
	const garbled = all.map(misread).filter((text, index) => text !== all[index]);
	const over = (texts: readonly string[], saved: (text: string) => unknown) =>
		inSync(
			'name',
			texts.map((text) => [text, saved(text)]),
		);
	const words = [...new Set(data.stopWords().map(({ word }) => word))];
	const nothing = data.PANDAS_NA.split('|');
	const source = `${all.length.toLocaleString('en')} names of people and places`;
	return [
		['A name is no blank', source, await over(all, asStored)],
		['A word is no blank', 'stop words of 60 languages', await over(words, asStored)],
		['A blank', "pandas' NA values", await over(nothing, () => undefined)],
		['A name in a wrong encoding', 'those with other letters', await over(garbled, () => NaN)],
		['Tags in a text', 'pairs of places, one with a comma', tagCases()],
	];
}

function tagCases(): Case[] {
	const places = data.places();
	const special = places.filter((name) => /[",;]/.test(name));
	const csv = (name: string) => (special.includes(name) ? `"${name.replace(/"/g, '""')}"` : name);
	const pairs = special.map((name, index) => [places[index], name]);
	const read = (text: string, pair: string[]): Case => {
		try {
			return judge(false, readNames(text, '').join('|') === pair.map(asName).join('|'), text);
		} catch {
			return ['asked', text];
		}
	};
	return pairs.flatMap((pair) =>
		[', ', ',', '; '].map((mark) => read(pair.map(csv).join(mark), pair)),
	);
}
