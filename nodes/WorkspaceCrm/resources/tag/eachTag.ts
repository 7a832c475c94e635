import { CrmError } from '../../api/errors';

/**
 * Does something for one tag after the other.
 *
 * @throws CrmError that names the tag, of several, and those that were done before it
 */
export async function forEachTag(
	tags: string[],
	doneWord: string,
	act: (tag: string) => Promise<unknown>,
): Promise<void> {
	for (const [index, tag] of tags.entries()) {
		await act(tag).catch((error: unknown) => {
			if (tags.length === 1 || !(error instanceof CrmError)) throw error;
			const done = tags.slice(0, index).join(', ');
			const progress =
				index > 0 ? `before it, ${doneWord}: ${done}` : `none was ${doneWord} before it`;
			throw error.explained(`This was for the tag '${tag}'; ${progress}.`);
		});
	}
}
