import { fs } from '../../tools/support/platform';

/** The page without its last part, which is about what n8n and the API decide. */
const [promises] = fs
	.readFileSync('docs/promised.md', 'utf8')
	.split('## What n8n and the API decide');

const named = [...promises.matchAll(/^- \*\*(.+?)\*\*.*(\n {2}.+)*/gm)].map(([text, name]) => [
	name,
	text,
]);

/** `links` tests that the linked files exist. */
test.each(named)('the promise "%s" names tests that guard it', (_promise, text) => {
	expect(text).toMatch(/\]\(\.\.\/(test\/[\w/]+(\.test\.ts)?|tools\/queue)\)/);
});

test('the page has promises', () => {
	expect(named.length).toBeGreaterThan(16);
});
