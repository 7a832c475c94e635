import {
	getCountries,
	getCountryCallingCode,
	isSupportedCountry,
	type CountryCode,
} from 'libphonenumber-js/max';

import { addTo } from './groups';
import { InputProblem, quoted } from './inputProblem';
import { asPlainWord, asWord } from './sameText';
import { asciiDigits } from './writtenPhone';

/** How numbers without a plus are read: in a country, or as if each had its plus. */
export type NumberPlan = CountryCode | typeof INTERNATIONAL;

export const INTERNATIONAL = 'International';

/**
 * Reads a `Default Country`: an ISO code, a calling code, a name in English, in a language of `LANGUAGES` or the
 * country's own, a usual short form, or International, in any case.
 *
 * @returns undefined for blank text
 * @throws InputProblem if it is none of these, or a calling code of several countries
 */
export function readCountry(text = ''): NumberPlan | undefined {
	const folded = asWord(text);
	if (folded === '') return undefined;
	if (folded === asWord(INTERNATIONAL)) return INTERNATIONAL;
	const code = folded.toUpperCase();
	const [found, ...others] = isSupportedCountry(code) ? [code] : countriesCalled(text);
	if (found && others.length === 0) return found;
	if (found) {
		throw new InputProblem(
			`'Default Country' is ${quoted(text)}, which several countries share`,
			`Enter the two letters of one: ${[found, ...others].join(', ')}.`,
		);
	}
	throw new InputProblem(
		`'Default Country' is ${quoted(text)}, which is not a country`,
		`${suggestion(text)}Enter its name, such as Germany, or its two-letter code, such as DE. If all numbers start with their country code, enter International.`,
	);
}

const MAX_SUGGESTED = 3;

/** A question with the countries that a text may mean; a wrong country would read numbers as those of strangers. */
function suggestion(text: string): string {
	const near = countriesLike(nameKey(text));
	if (near.length === 0 || near.length > MAX_SUGGESTED) return '';
	return `Do you mean ${near.map((code) => `${countryName(code)} (${code})`).join(' or ')}? `;
}

/** The `default_country` to send: none if numbers are international. */
export function isoCountryOf(plan: NumberPlan | undefined): CountryCode | undefined {
	return plan === INTERNATIONAL ? undefined : plan;
}

/** ICU has one language for each country. The others are for those who write of a country in another one. */
const LANGUAGES = ['en', 'fr', 'de', 'it', 'es', 'pt', 'id', 'ar', 'hi'];

/** Usual names that ICU does not have. */
const OTHER_NAMES: { readonly [code in CountryCode]?: readonly string[] } = {
	AE: ['UAE'],
	CI: ['Ivory Coast'],
	CZ: ['Czech Republic'],
	GB: ['Britain', 'England', 'Great Britain', 'Northern Ireland', 'Scotland', 'Wales'],
	NL: ['Holland'],
	SA: ['KSA'],
	TR: ['Turkey'],
	US: ['America', 'United States of America'],
};

let codesByName: Map<string, CountryCode[]> | undefined;

/** Finds countries by a name, a short form or a calling code, ignoring case and accents. */
function countriesCalled(name: string): CountryCode[] {
	codesByName ??= readCountryNames();
	return codesByName.get(nameKey(name)) ?? [];
}

const MIN_SHARED = 4;
/** So many characters tell countries apart; a longer text costs no more. */
const MAX_SHARED = 60;

/** Finds countries whose name contains a text, or else begins most like it. */
function countriesLike(key: string): CountryCode[] {
	if (key.length < MIN_SHARED) return [];
	const names = [...(codesByName ?? [])];
	const codesOf = (matches: (name: string) => boolean) => [
		...new Set(names.flatMap(([name, codes]) => (matches(name) ? codes : []))),
	];
	const containing = codesOf((name) => name.includes(key));
	for (
		let length = Math.min(key.length, MAX_SHARED);
		containing.length === 0 && length >= MIN_SHARED;
		length -= 1
	) {
		const found = codesOf((name) => name.startsWith(key.slice(0, length)));
		if (found.length > 0) return found;
	}
	return containing;
}

/** The English name of a country. */
export function countryName(code: CountryCode): string {
	return new Intl.DisplayNames(['en'], { type: 'region' }).of(code) ?? code;
}

/** Takes longer than loading all nodes, so it runs only when somebody enters a name. */
function readCountryNames(): Map<string, CountryCode[]> {
	const regionsIn = (language: string) =>
		(['long', 'short'] as const).map(
			(style) => new Intl.DisplayNames([language], { type: 'region', style }),
		);
	const shared = LANGUAGES.flatMap(regionsIn);
	const namesOf = (code: CountryCode) => {
		const own = regionsIn(new Intl.Locale(`und-${code}`).maximize().baseName);
		const names = [...shared, ...own].map((regions) => regions.of(code) ?? code);
		return [...names, ...(OTHER_NAMES[code] ?? []), getCountryCallingCode(code)];
	};
	const codes = new Map<string, CountryCode[]>();
	for (const code of getCountries()) {
		for (const key of new Set(namesOf(code).map(nameKey))) addTo(codes, key, code);
	}
	// In French, the United States have the short form É.-U., but EU is the European Union.
	codes.delete('eu');
	return codes;
}

/** Ignores case, accents, spaces and punctuation: "Côte d’Ivoire" equals "cote d'ivoire", and "+55" equals "0055". */
function nameKey(name: string): string {
	const words = asPlainWord(asciiDigits(name)).replace(/^(?:the |00)/, '');
	return words.replace(/&/g, 'and').replace(/[^\p{L}\p{M}\p{N}]/gu, '');
}
