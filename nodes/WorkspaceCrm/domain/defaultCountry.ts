import { getCountries, isSupportedCountry, type CountryCode } from 'libphonenumber-js/max';

import { InputProblem, quoted } from './problem';
import { fold, withoutAccents } from './text';

/** How numbers without a plus are read: in a country, or as if each had its plus. */
export type NumberPlan = CountryCode | typeof INTERNATIONAL;

export const INTERNATIONAL = 'International';

/**
 * Reads a `Default Country`: an ISO code, an English name, a country's own name or a usual short form, or
 * International, in any case.
 *
 * @returns undefined for blank text
 * @throws InputProblem if it is none of these
 */
export function readCountry(text = ''): NumberPlan | undefined {
	const folded = fold(text);
	if (folded === '') return undefined;
	if (folded === fold(INTERNATIONAL)) return INTERNATIONAL;
	const code = folded.toUpperCase();
	const found = isSupportedCountry(code) ? code : countryCalled(text);
	if (found) return found;
	throw new InputProblem(
		`'Default Country' is ${quoted(text)}, which is not a country`,
		'Enter its name, such as Germany, or its two-letter code, such as DE. If all numbers start with their country code, enter International.',
	);
}

/** The `default_country` to send: none if numbers are international. */
export function isoCountryOf(plan: NumberPlan | undefined): CountryCode | undefined {
	return plan === INTERNATIONAL ? undefined : plan;
}

/** ICU has one language for each country. The last three add names such as Suisse and Belgique. */
const LANGUAGES = ['en', 'fr', 'de', 'it'];

/** Usual names that ICU does not have. */
const OTHER_NAMES: { readonly [code in CountryCode]?: readonly string[] } = {
	AE: ['UAE'],
	CI: ['Ivory Coast'],
	CZ: ['Czech Republic'],
	GB: ['Britain', 'England', 'Great Britain', 'Northern Ireland', 'Scotland', 'Wales'],
	NL: ['Holland'],
	TR: ['Turkey'],
	US: ['America', 'United States of America'],
};

let codesByName: Map<string, CountryCode> | undefined;

/** Finds a country by its English name, its own name or a short form, ignoring case and accents. */
function countryCalled(name: string): CountryCode | undefined {
	codesByName ??= readCountryNames();
	return codesByName.get(nameKey(name));
}

/** The English name of a country. */
export function countryName(code: CountryCode): string {
	return new Intl.DisplayNames(['en'], { type: 'region' }).of(code) ?? code;
}

/** Takes longer than loading all nodes, so it runs only when somebody enters a name. */
function readCountryNames(): Map<string, CountryCode> {
	const regionsIn = (language: string) =>
		(['long', 'short'] as const).map(
			(style) => new Intl.DisplayNames([language], { type: 'region', style }),
		);
	const shared = LANGUAGES.flatMap(regionsIn);
	const namesOf = (code: CountryCode) => {
		const own = regionsIn(new Intl.Locale(`und-${code}`).maximize().baseName);
		const names = [...shared, ...own].map((regions) => regions.of(code) ?? code);
		return [...names, ...(OTHER_NAMES[code] ?? [])];
	};
	const all = getCountries().flatMap((code) =>
		namesOf(code).map((name) => [nameKey(name), code] as const),
	);
	// In French, the United States have the short form É.-U., but EU is the European Union.
	return new Map(all.filter(([key]) => key !== 'eu'));
}

/** Ignores case, accents, spaces and punctuation: "Côte d’Ivoire" equals "cote d'ivoire". */
function nameKey(name: string): string {
	const words = withoutAccents(fold(name)).replace(/^the /, '').replace(/&/g, 'and');
	return words.replace(/[^\p{L}\p{M}\p{N}]/gu, '');
}
