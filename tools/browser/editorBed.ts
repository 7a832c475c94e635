import { selectors, type Browser, type BrowserContext } from 'playwright-core';

import { startTestbed, type Testbed, type TestbedOptions } from '../n8n/testbed';
import { launchChromium, PATIENCE_MS } from './chromium';
import { Editor } from './editor';

export interface EditorOptions {
	/** Default `light`. */
	colorScheme?: 'light' | 'dark';
}

export type EditorBed = Awaited<ReturnType<typeof startEditorBed>>;

/** Starts a real n8n with our package, a sandbox for it, and a browser. Expects `dist` to be built. */
export async function startEditorBed(options?: TestbedOptions) {
	// before n8n, because it may be missing
	const browser = await launchChromium();
	selectors.setTestIdAttribute('data-test-id');
	const bed = await startTestbed({ ...options, hasEditor: true }).catch(async (error: unknown) => {
		await browser.close();
		throw error;
	});
	// One context for all, so that the editor's own files are loaded once.
	const context = await signedInContext(browser, bed);
	return {
		sandbox: bed.sandbox,
		rest: bed.n8n.rest,
		/** A new browser page, signed in as the owner. */
		async openEditor({ colorScheme = 'light' }: EditorOptions = {}) {
			const page = await context.newPage();
			await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
			return new Editor(page, bed.n8n);
		},
		async close() {
			await browser.close();
			await bed.close();
		},
	};
}

async function signedInContext(browser: Browser, { n8n }: Testbed): Promise<BrowserContext> {
	const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
	context.setDefaultTimeout(PATIENCE_MS);
	const [name, value] = n8n.rest.cookie.split('=');
	await context.addCookies([{ name, value, url: n8n.url }]);
	return context;
}
