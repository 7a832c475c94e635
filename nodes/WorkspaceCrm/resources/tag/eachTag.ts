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
	const done: string[] = [];
	for (const tag of tags) {
		try {
			await act(tag);
		} catch (error) {
			throw tags.length > 1 ? withProgress(error, tag, done, doneWord) : error;
		}
		done.push(tag);
	}
}

function withProgress(error: unknown, tag: string, done: string[], doneWord: string): unknown {
	if (!(error instanceof CrmError)) return error;
	const progress =
		done.length > 0
			? `before it, ${doneWord}: ${done.join(', ')}`
			: `none was ${doneWord} before it`;
	return error.explained(`This was for the tag '${tag}'; ${progress}.`);
}
