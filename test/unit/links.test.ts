import { childProcess, fs, path } from '../../tools/support/platform';

/** Every page that people read, and where its links lead. */
const pages = childProcess
	.spawnSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], { encoding: 'utf8' })
	.stdout.trim()
	.split('\n');

const withoutCode = (text: string) => text.replace(/```[^]*?```/g, '').replace(/`[^`\n]*`/g, '');

const linksOf = (page: string) =>
	[...withoutCode(fs.readFileSync(page, 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)]
		.map(([, link]) => link)
		.filter((link) => !/^(https?|mailto):/.test(link));

/** As GitHub makes them from headings. */
const anchorsOf = (page: string) =>
	[...fs.readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
		heading
			.toLowerCase()
			.replace(/[^\p{L}\p{N}_\- ]/gu, '')
			.trim()
			.replaceAll(' ', '-'),
	);

test.each(pages)('the links of %s work', (page) => {
	for (const link of linksOf(page)) {
		const [file, anchor] = link.split('#');
		const target = file === '' ? page : path.join(path.dirname(page), file);
		expect([link, fs.existsSync(target)]).toEqual([link, true]);
		if (anchor) expect([link, anchorsOf(target)]).toEqual([link, expect.arrayContaining([anchor])]);
	}
});
