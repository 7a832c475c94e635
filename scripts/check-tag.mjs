/**
 * Refuses to release unless the tag is the version in `package.json` and its commit is on main:
 * `node scripts/check-tag.mjs <tag>`.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const [tag] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const onMain = spawnSync('git', ['merge-base', '--is-ancestor', 'HEAD', 'origin/main']);

const problems = [
	...(tag === version ? [] : [`The tag is '${tag}', and package.json says '${version}'.`]),
	...(onMain.status === 0 ? [] : ['The commit is not on main.']),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
