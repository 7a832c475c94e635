import { fs } from '../../tools/support/platform';

/** The page without its last part, which is about what n8n and the API decide. */
const [promises] = fs
	.readFileSync('docs/promised.md', 'utf8')
	.split('## What n8n and the API decide');

const rows = [...promises.matchAll(/^\| (.+) \|$/gm)].map(([, row]) => row.split(' | ')).slice(2);
const bullets = [...promises.matchAll(/^- .+(\n {2}.+)*/gm)].map(([text]) => text);

const named = [
	...rows.map((cells) => [cells[0].trim(), cells.at(-1) ?? '']),
	...bullets.map((text) => [/\*\*(.+?)\*\*/.exec(text)?.[1] ?? text, text]),
];

/** `links` tests that the linked files exist. */
test.each(named)('the promise "%s" names tests that guard it', (_promise, text) => {
	expect(text).toMatch(/\]\(\.\.\/(test\/[\w/]+(\.test\.ts)?|tools\/queue)\)/);
});

test('the page has promises', () => {
	expect([rows.length, bullets.length].every((count) => count > 8)).toBe(true);
});
