/** Installs the pinned n8n, so that whoever needs it finds it: `npx tsx tools/n8n/install.ts`. */
import { process } from '../support/platform';
import { ensureHost } from './installHost';

ensureHost().catch((error: Error) => {
	process.stdout.write(`${error.message}\n`);
	process.exitCode = 1;
});
