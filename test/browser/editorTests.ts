import { fs, path } from '../support/platform';
import { repositoryFolder } from '../n8n/paths';
import type { Editor } from './editor';
import type { EditorBed, EditorOptions } from './editorBed';

/** Pictures of what was to be seen when a test failed. The dot keeps them out of the build. */
const picturesFolder = path.join(repositoryFolder, '.test-results');

/** Gives what makes a test with an editor of its own, of which a picture is kept when it fails. */
export function editorTests(bed: () => EditorBed) {
	return (name: string, act: (editor: Editor) => Promise<void>, options?: EditorOptions): void => {
		const file = path.join(picturesFolder, `${name.replace(/\W+/g, '-')}.png`);
		test(name, async () => {
			await fs.promises.rm(file, { force: true });
			const editor = await bed().openEditor(options);
			try {
				await act(editor).catch(async (error: unknown) => {
					// without a picture, the test's own error still has to be told
					await editor.page.screenshot({ path: file }).catch(() => undefined);
					throw error;
				});
			} finally {
				await editor.close();
			}
		});
	};
}
