import { fileURLToPath, fs, path } from '../../support/platform';

export interface Bundle {
	script: string;
	style: string;
	icon: string;
}

const here = path.dirname(fileURLToPath(import.meta.url));
const iconFile = path.join(here, '../../../icons/workspaceCrm.svg');

async function bundle(): Promise<Bundle> {
	// Only here, because most sandboxes are never looked at.
	const { build } = await import('esbuild');
	const { outputFiles } = await build({
		entryPoints: [path.join(here, 'page/main.tsx')],
		outdir: 'console',
		write: false,
		bundle: true,
		minify: true,
		format: 'esm',
		target: 'es2022',
		jsx: 'automatic',
		jsxImportSource: 'preact',
		logLevel: 'silent',
	});
	const textOf = (extension: string) =>
		outputFiles.find((file) => file.path.endsWith(extension))?.text ?? '';
	return {
		script: textOf('.js'),
		style: textOf('.css'),
		icon: await fs.promises.readFile(iconFile, 'utf8'),
	};
}

let made: Promise<Bundle> | undefined;

/** The page's script, style and icon; they are built when they are first asked for. */
export async function pageBundle(): Promise<Bundle> {
	made ??= bundle();
	return await made;
}
