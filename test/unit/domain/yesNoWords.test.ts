import { NO_WORDS, YES_WORDS } from '../../../nodes/WorkspaceCrm/domain/yesNoWords';
import { readYesNo } from '../../../nodes/WorkspaceCrm/domain/typedValues';
import { repositoryFolder } from '../../../tools/n8n/paths';
import { fs, path, process } from '../../../tools/support/platform';

/** What Unicode's CLDR says for yes and no in each language. Without its data, the words in the code are stale. */
const DATA = path.join(repositoryFolder, 'node_modules/cldr-misc-full');
const FILE = path.join(repositoryFolder, 'nodes/WorkspaceCrm/domain/yesNoWords.ts');

interface Posix {
	main: Record<string, { posix: { messages: { yesstr?: string; nostr?: string } } }>;
}

const languages = fs.readdirSync(path.join(DATA, 'main')).flatMap((language) => {
	const file = path.join(DATA, 'main', language, 'posix.json');
	if (!fs.existsSync(file)) return [];
	const { messages } = (JSON.parse(fs.readFileSync(file, 'utf8')) as Posix).main[language].posix;
	return [{ language, yes: wordsOf(messages.yesstr), no: wordsOf(messages.nostr) }];
});

/**
 * Most data are a word and its first letters, with a colon or the colon of the script between them. Some languages
 * have several words. A letter alone means too many things, unless it is a word in its script.
 */
function wordsOf(text = ''): string[] {
	const [words = '', ...others] = text.split(/:|ः|᠄|៖/);
	const longer = others.filter((each) => [...each.trim()].length > 2);
	const all = [...words.split('/'), ...longer].map((word) =>
		word.replace(/[\s\u200b]+/g, ' ').trim(),
	);
	return all.map((word) => word.replace(/\.$/, '').toLowerCase()).filter(isWord);
}

/** Tables write NA for what they do not know. */
function isWord(word: string): boolean {
	if (word === 'na') return false;
	return [...word].length > 1 || /[\p{Script=Han}\p{Script=Hangul}]/u.test(word);
}

/** Polish for yes, and what people write for no in Malay, for which Unicode has only the longer "tidak". */
const NO_AS_WRITTEN = ['tak'];

const only = (words: string[], others: string[]) =>
	[...new Set(words)].filter((word) => !others.includes(word)).sort();
const allYes = languages.flatMap(({ yes }) => yes);
const allNo = [...languages.flatMap(({ no }) => no), ...NO_AS_WRITTEN];

test('the words are those of Unicode for yes and no, without those that mean both', () => {
	const words = { YES_WORDS: only(allYes, allNo), NO_WORDS: only(allNo, allYes) };
	if (process.env.UPDATE_DOCS) fs.writeFileSync(FILE, fileOf(words));
	expect({ YES_WORDS: YES_WORDS.split('|'), NO_WORDS: NO_WORDS.split('|') }).toEqual(words);
	expect(languages.length).toBeGreaterThan(300);
});

function fileOf(words: Record<string, string[]>): string {
	const { version } = JSON.parse(fs.readFileSync(path.join(DATA, 'package.json'), 'utf8')) as {
		version: string;
	};
	const lists = Object.entries(words).map(
		([name, list]) =>
			`export const ${name} =\n\t${JSON.stringify(list.join('|')).replace(/^"|"$/g, "'")};\n`,
	);
	return `/**
 * Yes and no in the languages of Unicode's CLDR ${version}, without single letters, and without words that mean yes in
 * one language and no in another. Written by \`UPDATE_DOCS=1 npx jest test/unit/domain/yesNoWords.test.ts\`.
 */
${lists.join('\n')}`;
}

test.each([
	['हाँ', true],
	['हां', true],
	['نعم', true],
	['لا', false],
	['ใช่', true],
	['はい', true],
	['是', true],
	['예', true],
	['नहीं', false],
	['いいえ', false],
	['ДА', true],
	['evet', true],
	['Hayır', false],
	['tidak', false],
	['Não', false],
])('%s is understood', (word, answer) => {
	expect(readYesNo('Opt In', word)).toBe(answer);
});

test.each(['NA', 'th', 'ch', 'ह'])('%s is no answer', (word) => {
	expect(() => readYesNo('Opt In', word)).toThrow('neither yes nor no');
});

test('what means yes here and no there is refused', () => {
	const both = [...new Set(allYes)].filter((word) => allNo.includes(word));
	expect(both).toEqual(expect.arrayContaining(['jo', 'da', 'ii', 'tak']));
	for (const word of both) expect(() => readYesNo('Opt In', word)).toThrow('neither yes nor no');
});
