import { CrmError } from '../../api/crmError';
import { MAX_LABEL_CHARACTERS, plainText } from '../../domain/text';

const MAX_DONE_CHARACTERS = 500;

/**
 * Handles one tag after the other.
 *
 * @throws CrmError that names the tag that failed, if there are several, and those done before it
 */
export async function forEachTag(
	tags: readonly string[],
	doneWord: string,
	act: (tag: string) => Promise<unknown>,
): Promise<void> {
	for (const [index, tag] of tags.entries()) {
		await act(tag).catch((error: unknown) => {
			if (tags.length === 1 || !(error instanceof CrmError)) throw error;
			const done = plainText(tags.slice(0, index).join(', '), MAX_DONE_CHARACTERS);
			const progress =
				index > 0 ? `tags ${doneWord} before it: ${done}` : `none was ${doneWord} before it`;
			throw error.withContext(
				`This was for the tag '${plainText(tag, MAX_LABEL_CHARACTERS)}'; ${progress}.`,
			);
		});
	}
}
