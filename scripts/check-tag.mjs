/**
 * Refuses to release unless the tag is the version in `package.json`, its commit is on main, and `CHANGELOG.md`
 * says what is new in it. Writes that section to a file: `node scripts/check-tag.mjs <tag> <file>`.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const [tag, notesFile] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const onMain = spawnSync('git', ['merge-base', '--is-ancestor', 'HEAD', 'origin/main']);

/** What stands below the heading of the version, up to the next one. */
function readNotes() {
	const [, ...sections] = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
	const section = sections.find((text) => text.startsWith(`${version} `)) ?? '';
	const [, notes] = /^\S+ \(\d{4}-\d{2}-\d{2}\)\n([^]*)$/.exec(section) ?? [];
	return notes?.trim();
}

const notes = readNotes();
const problems = [
	...(tag === version ? [] : [`The tag is '${tag}', and package.json says '${version}'.`]),
	...(onMain.status === 0 ? [] : ['The commit is not on main.']),
	...(notes ? [] : [`CHANGELOG.md has no section '## ${version} (<date>)' that says what is new.`]),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
if (problems.length === 0 && notesFile) writeFileSync(notesFile, `${notes}\n`);
