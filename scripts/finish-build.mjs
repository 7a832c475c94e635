/**
 * Finishes what `n8n-node build` made: bundles the one library that shipped code uses into the one
 * file that imports it, because a verified package may have no dependencies; and removes what the
 * build copied without being asked, since it takes pictures from every folder.
 */
import { rmSync } from 'node:fs';
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

for (const folder of ['dist/test', 'dist/docs', 'dist/examples']) {
	rmSync(folder, { recursive: true, force: true });
}
