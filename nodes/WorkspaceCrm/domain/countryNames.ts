/** Usual names that ICU does not have, by ISO 3166 code. */
const OTHER_NAMES = {
	AE: ['UAE'],
	CI: ['Ivory Coast'],
	CZ: ['Czech Republic'],
	GB: ['Britain', 'England', 'Great Britain', 'Northern Ireland', 'Scotland', 'Wales'],
	MO: ['Macau'],
	NL: ['Holland'],
	TR: ['Turkey'],
	US: ['America', 'United States of America', 'USA'],
};

/** ICU gives one language per country. These add names such as Suisse and Belgique. */
const OTHER_LANGUAGES = ['fr', 'de', 'it'];

let codesByName: Map<string, string> | undefined;

/**
 * Finds a country by its English name, its own name or a short form, ignoring case and accents.
 *
 * @param codes all countries; the same in each call
 */
export function countryCalled<T extends string>(name: string, codes: readonly T[]): T | undefined {
	codesByName ??= readNames(codes);
	return codesByName.get(nameKey(name)) as T | undefined;
}

let englishNames: Intl.DisplayNames | undefined;

/** The English name of a country. Loading the names takes longer than reading a number, so they are loaded once. */
export function countryName(code: string): string {
	englishNames ??= new Intl.DisplayNames(['en'], { type: 'region' });
	return englishNames.of(code) ?? code;
}

/** Takes longer than loading all nodes, so it runs only when somebody enters a name. */
function readNames(codes: readonly string[]): Map<string, string> {
	const names = (language: string, of: readonly string[], style: 'long' | 'short' = 'long') => {
		const regions = new Intl.DisplayNames([language], { type: 'region', style });
		return of.map((code) => [regions.of(code) ?? code, code] as const);
	};
	const all = [
		...codes.flatMap((code) => names(new Intl.Locale(`und-${code}`).maximize().baseName, [code])),
		...OTHER_LANGUAGES.flatMap((language) => names(language, codes)),
		...names('en', codes, 'short'),
		...names('en', codes),
		...Object.entries(OTHER_NAMES).flatMap(([code, others]) =>
			others.map((name) => [name, code] as const),
		),
	];
	return new Map(all.map(([name, code]) => [nameKey(name), code]));
}

/** Ignores case, accents, spaces and punctuation: "Côte d’Ivoire" equals "cote d'ivoire". */
function nameKey(name: string): string {
	const words = name.trim().toLowerCase().replace(/^the /, '').replace(/&/g, 'and');
	return words.normalize('NFD').replace(/[^\p{L}\p{N}]/gu, '');
}
