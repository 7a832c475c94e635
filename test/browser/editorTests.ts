import type { Editor } from '../../tools/browser/editor';
import type { EditorBed } from '../../tools/browser/editorBed';
import { repositoryFolder } from '../../tools/n8n/paths';
import { fs, path } from '../../tools/support/platform';

/** Screenshots of failed tests. The dot in the name keeps them out of the build. */
const picturesFolder = path.join(repositoryFolder, '.test-results');

export type EditorTest = (name: string, act: (editor: Editor) => Promise<void>) => void;

/** The tests of a feature. */
export type EditorTests = (inEditor: EditorTest, bed: () => EditorBed) => void;

/**
 * Returns a function that defines a test in the editor. The tests share one editor, which takes seconds to
 * load. A failed test leaves a screenshot, and the next test gets a new editor.
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
				// a failed screenshot must not hide the test's own error
				if (!isGood) await editor.page.screenshot({ path: file }).catch(() => undefined);
				if (!isGood) await editor.close();
				shared = isGood ? editor : undefined;
			}
		});
	};
}
