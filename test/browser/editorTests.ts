import { fs, path } from '../support/platform';
import { repositoryFolder } from '../n8n/paths';
import type { Editor } from './editor';
import type { EditorBed, EditorOptions } from './editorBed';

/** Pictures of what was to be seen when a test failed. The dot keeps them out of the build. */
const picturesFolder = path.join(repositoryFolder, '.test-results');

/**
 * Gives what makes a test in the editor, of which a picture is kept when it fails.
 *
 * @param shared an editor that is open already; without it, each test has one of its own
 */
export function editorTests(bed: () => EditorBed, shared?: () => Editor) {
	return (name: string, act: (editor: Editor) => Promise<void>, options?: EditorOptions): void => {
		const file = path.join(picturesFolder, `${name.replace(/\W+/g, '-')}.png`);
		test(name, async () => {
			await fs.promises.rm(file, { force: true });
			const editor = shared?.() ?? (await bed().openEditor(options));
			try {
				await act(editor).catch(async (error: unknown) => {
					// without a picture, the test's own error still has to be told
					await editor.page.screenshot({ path: file }).catch(() => undefined);
					throw error;
				});
			} finally {
				if (!shared) await editor.close();
			}
		});
	};
}
