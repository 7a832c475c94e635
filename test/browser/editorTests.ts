import type { Editor } from '../../tools/browser/editor';
import type { EditorBed } from '../../tools/browser/editorBed';
import { repositoryFolder } from '../../tools/n8n/paths';
import { fs, path } from '../../tools/support/platform';

/** Pictures of what was to be seen when a test failed. The dot keeps them out of the build. */
const picturesFolder = path.join(repositoryFolder, '.test-results');

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
