import { readYesNo } from '../../../nodes/WorkspaceCrm/domain/typedValues';
import { YES_NO_WORDS } from '../../../nodes/WorkspaceCrm/domain/yesNoWords';
import { asWord } from '../../../nodes/WorkspaceCrm/domain/sameText';
import { repositoryFolder } from '../../../tools/n8n/paths';
import { fs, path } from '../../../tools/support/platform';

const rows = Object.entries(YES_NO_WORDS);
const wordsOf = (column: 0 | 1) => rows.flatMap(([, words]) => words[column].split(', '));

test('the page shows all words that count, by language', () => {
	const page = fs.readFileSync(path.join(repositoryFolder, 'docs/sync.md'), 'utf8');
	const [, section = ''] = page.split('\n## Words for yes and no\n');
	const [table = ''] = section.split('\n## ');
	const shown = [...table.matchAll(/^\| (.*) \|$/gm)].map(([, row]) =>
		row.split('|').map((cell) => cell.trim().replace(/`/g, '')),
	);
	expect(shown.slice(2)).toEqual(rows.map(([language, words]) => [language, ...words]));
	expect(rows).toHaveLength(1 + 20);
});

test.each(wordsOf(0))('%s means yes', (word) => expect(readYesNo('Opt In', word)).toBe(true));
test.each(wordsOf(1))('%s means no', (word) => expect(readYesNo('Opt In', word)).toBe(false));

test('no word means yes in one language of the table and no in another', () => {
	const no = wordsOf(1).map(asWord);
	expect(wordsOf(0).filter((word) => no.includes(asWord(word)))).toEqual([]);
});
