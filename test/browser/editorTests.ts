import type { Editor } from '../../tools/browser/editor';
import type { EditorBed } from '../../tools/browser/editorBed';
import { repositoryFolder } from '../../tools/n8n/paths';
import { fs, path } from '../../tools/support/platform';

/** Pictures of what was to be seen when a test failed. The dot keeps them out of the build. */
const picturesFolder = path.join(repositoryFolder, '.test-results');

export type EditorTest = (name: string, act: (editor: Editor) => Promise<void>) => void;

/**
 * Gives what makes a test in the editor. The tests share one, which takes seconds to load; one that fails leaves
 * a picture, and the next test has a new editor.
 */
export function editorTests(bed: () => EditorBed): EditorTest {
	let shared: Editor | undefined;
	return (name, act) => {
		const file = path.join(picturesFolder, `${name.replace(/\W+/g, '-')}.png`);
		test(name, async () => {
			await fs.promises.rm(file, { force: true });
			const editor = (shared ??= await bed().openEditor());
			let isGood = false;
			try {
				await act(editor);
				isGood = true;
			} finally {
				// without a picture, the test's own error still has to be reported
				if (!isGood) await editor.page.screenshot({ path: file }).catch(() => undefined);
				if (!isGood) await editor.close();
				shared = isGood ? editor : undefined;
			}
		});
	};
}
