/**
 * Finishes the output of `n8n-node build`: bundles our own code and the phone library, adds its licences, and
 * removes the files that are in the bundle and the pictures that the build copied from other folders.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, relative } from 'node:path';
import { bundle } from './bundle.mjs';

const { n8n } = JSON.parse(readFileSync('package.json', 'utf8'));
const bundled = 'dist/nodes/WorkspaceCrm/workspaceCrm.js';
/** The files that n8n loads. */
const loaded = [...n8n.nodes, ...n8n.credentials];

const { code, packages } = await bundle(
	loaded.map((file) => relative('dist', file).replace(/\.js$/, '')),
);
writeFileSync(bundled, code);
for (const folder of ['dist/nodes', 'dist/credentials']) {
	for (const name of readdirSync(folder, { recursive: true })) {
		const file = `${folder}/${name}`;
		if (file.endsWith('.js') && ![bundled, ...loaded].includes(file)) rmSync(file);
	}
}
for (const file of loaded) {
	const [name] = basename(file).split('.');
	const path = relative(dirname(file), bundled);
	const from = path.startsWith('.') ? path : `./${path}`;
	writeFileSync(file, `'use strict';\nexports.${name} = require('${from}').${name};\n`);
}
removeEmpty('dist/nodes');

/** Folders that are empty now. */
function removeEmpty(folder) {
	for (const entry of readdirSync(folder, { withFileTypes: true })) {
		const path = `${folder}/${entry.name}`;
		if (!entry.isDirectory()) continue;
		removeEmpty(path);
		if (readdirSync(path).length === 0) rmSync(path, { recursive: true });
	}
}

const line = '-'.repeat(80);
const notices = packages.flatMap(({ name, version, homepage, papers }) => [
	`${line}\n${name} ${version}\n${homepage}`,
	...papers.map(({ file, text }) => `${line}\n${name}: ${file}\n\n${text}`),
]);
writeFileSync(
	'dist/THIRD_PARTY_NOTICES.txt',
	[
		'The file nodes/WorkspaceCrm/workspaceCrm.js holds the software below, bundled, without comments and without the code and data that format numbers.',
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
