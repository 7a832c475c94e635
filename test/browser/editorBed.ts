import { selectors, type Browser, type BrowserContext } from 'playwright-core';

import { repositoryFolder } from '../n8n/paths';
import { startTestbed, type Testbed, type TestbedOptions } from '../n8n/testbed';
import { fs, path } from '../support/platform';
import { launchChromium, PATIENCE_MS } from './chromium';
import { Editor } from './editor';

/** Pictures of what was to be seen when a test failed. The dot keeps them out of the build. */
const picturesFolder = path.join(repositoryFolder, '.test-results');

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
	const bed = await startTestbed(options).catch(async (error: unknown) => {
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

/** Gives what makes a test in an editor of its own, of which a picture is kept when it fails. */
export function editorTests(bed: () => EditorBed) {
	return (name: string, act: (editor: Editor) => Promise<void>): void => {
		const file = path.join(picturesFolder, `${name.replace(/\W+/g, '-')}.png`);
		test(name, async () => {
			await fs.promises.rm(file, { force: true });
			const editor = await bed().openEditor();
			try {
				await act(editor).catch(async (error: unknown) => {
					// without a picture, the test's own error still has to be reported
					await editor.page.screenshot({ path: file }).catch(() => undefined);
					throw error;
				});
			} finally {
				await editor.close();
			}
		});
	};
}
