import { chromium, type Browser } from 'playwright-core';

import { PrerequisiteError } from '../n8n/prerequisites';
import { fs, path, process } from '../support/platform';

const commands = ['chromium', 'chromium-browser', 'google-chrome'];

/** How long a page may take for anything. Long, for slow machines: only a failing test waits for it. */
export const PATIENCE_MS = 180_000;

/** Starts the Chromium of this machine, without a window and with a new, empty profile. */
export async function launchChromium(): Promise<Browser> {
	return await chromium.launch({
		executablePath: findChromium(process.env),
		headless: true,
		args: [
			'--no-sandbox',
			'--disable-gpu',
			'--disable-quic',
			'--no-first-run',
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-sync',
		],
	});
}

/**
 * Where Chromium is: what CHROMIUM_PATH says, else the first of the usual commands on the PATH.
 *
 * @throws PrerequisiteError that says what to install when there is none
 */
export function findChromium(env: Record<string, string | undefined>): string {
	const { CHROMIUM_PATH: given, PATH: searchPath = '' } = env;
	if (given) {
		if (isExecutable(given)) return given;
		throw new PrerequisiteError(`CHROMIUM_PATH is ${given}, and there is no program.`);
	}
	const found = commands
		.flatMap((command) =>
			searchPath.split(path.delimiter).map((folder) => path.join(folder, command)),
		)
		.find(isExecutable);
	if (found) return found;
	throw new PrerequisiteError(
		'The browser tests need Chromium or Google Chrome, and found none. ' +
			'Debian and Ubuntu: sudo apt-get install chromium. macOS: brew install --cask chromium. ' +
			'If it stands elsewhere, give its path in CHROMIUM_PATH.',
	);
}

function isExecutable(file: string): boolean {
	try {
		fs.accessSync(file, fs.constants.X_OK);
		return fs.statSync(file).isFile();
	} catch {
		return false;
	}
}
