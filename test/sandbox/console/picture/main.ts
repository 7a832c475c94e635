import { launchChromium } from '../../../browser/chromium';
import { repositoryFolder } from '../../../n8n/paths';
import { fs, path } from '../../../support/platform';
import { startBusySandbox } from './busy-sandbox';
import { smallPng } from './small-png';

const file = path.join(repositoryFolder, 'docs/images/console.png');

/** Makes the picture of the console that the README shows: `npm run picture`. */
async function main(): Promise<void> {
	const busy = await startBusySandbox();
	const browser = await launchChromium();
	try {
		const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
		await page.goto(busy.sandbox.url);
		await page.getByRole('heading', { name: 'Contacts' }).waitFor();
		await fs.promises.mkdir(path.dirname(file), { recursive: true });
		await fs.promises.writeFile(file, smallPng(await page.screenshot()));
	} finally {
		await browser.close();
		await busy.close();
	}
}

void main();
