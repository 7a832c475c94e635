/**
 * Finishes what `n8n-node build` made: bundles the one library that shipped code uses, with the
 * licences that have to come along; and removes what the build copied without being asked, since it
 * takes pictures from every folder.
 */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { bundleLibrary } from './bundle.mjs';

const packages = await bundleLibrary('dist/nodes/WorkspaceCrm/domain/phone.js');

const line = '-'.repeat(80);
const notices = packages.flatMap(({ name, version, homepage, papers }) => [
	`${line}\n${name} ${version}\n${homepage}`,
	...papers.map(({ file, text }) => `${line}\n${name}: ${file}\n\n${text}`),
]);
writeFileSync(
	'dist/THIRD_PARTY_NOTICES.txt',
	[
		'The file nodes/WorkspaceCrm/domain/phone.js holds, bundled and minified, the software below.',
		"Its data on phone numbers are derived from those of Google's libphonenumber\n(https://github.com/google/libphonenumber), which are under the Apache License, Version 2.0.",
		...notices,
		'',
	].join('\n\n'),
);

const shipped = ['credentials', 'icons', 'nodes'];
for (const { name } of readdirSync('dist', { withFileTypes: true }).filter((entry) =>
	entry.isDirectory(),
)) {
	if (!shipped.includes(name)) rmSync(`dist/${name}`, { recursive: true });
}
