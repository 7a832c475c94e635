import { launchChromium } from '../../../browser/chromium';
import { repositoryFolder } from '../../../n8n/paths';
import { path } from '../../../support/platform';
import { startBusySandbox } from './busy-sandbox';

const file = path.join(repositoryFolder, 'docs/images/console.webp');

/** Makes the picture of the console that the README shows: `npm run picture`. */
async function main(): Promise<void> {
	const busy = await startBusySandbox();
	const browser = await launchChromium();
	try {
		const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
		await page.goto(busy.sandbox.url);
		await page.getByRole('heading', { name: 'Contacts' }).waitFor();
		await page.screenshot({ path: file, type: 'webp', quality: 90 });
	} finally {
		await browser.close();
		await busy.close();
	}
}

void main();
