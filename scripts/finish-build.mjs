/**
 * Finishes what `n8n-node build` made: bundles the one library that shipped code uses into the one
 * file that imports it, because a verified package may have no dependencies; and removes what the
 * build copied without being asked, since it takes pictures from every folder.
 */
import { readdirSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const phone = 'dist/nodes/WorkspaceCrm/domain/phone.js';

await build({
	entryPoints: [phone],
	outfile: phone,
	allowOverwrite: true,
	bundle: true,
	external: ['./problem'],
	minify: true,
	platform: 'node',
	format: 'cjs',
	target: 'node20',
	legalComments: 'inline',
	drop: ['console'],
});

const shipped = ['credentials', 'icons', 'nodes'];
for (const { name } of readdirSync('dist', { withFileTypes: true }).filter((entry) =>
	entry.isDirectory(),
)) {
	if (!shipped.includes(name)) rmSync(`dist/${name}`, { recursive: true });
}
