import { selectors, type Browser, type BrowserContext } from 'playwright-core';

import type { N8nRestClient } from '../n8n/n8nRestClient';
import { startTestbed, type Testbed, type TestbedOptions } from '../n8n/testbed';
import { launchChromium } from './chromium';
import { Editor } from './editor';

export interface EditorOptions {
	/** Default `light`. */
	colorScheme?: 'light' | 'dark';
}

/** A real n8n with our package, a sandbox that it works with, and a browser to look at it. */
export interface EditorBed {
	sandbox: Testbed['sandbox'];
	rest: N8nRestClient;
	/** A new browser page, signed in as the owner. */
	openEditor(options?: EditorOptions): Promise<Editor>;
	close(): Promise<void>;
}

const patienceMs = 60_000;

/** Starts all three. Expects `dist` to be built. */
export async function startEditorBed(options?: TestbedOptions): Promise<EditorBed> {
	// before n8n, because it may be missing
	const browser = await launchChromium();
	selectors.setTestIdAttribute('data-test-id');
	const bed = await startTestbed(options).catch(async (error: unknown) => {
		await browser.close();
		throw error;
	});
	// One context for all, so that the editor's own files are loaded once.
	const context = await signedInContext(browser, bed);
	return {
		sandbox: bed.sandbox,
		rest: bed.n8n.rest,
		async openEditor({ colorScheme = 'light' } = {}) {
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
	context.setDefaultTimeout(patienceMs);
	const [name, value] = n8n.rest.cookie.split('=');
	await context.addCookies([{ name, value, url: n8n.url }]);
	return context;
}
