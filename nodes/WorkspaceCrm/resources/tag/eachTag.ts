import { CrmError } from '../../api/errors';

/**
 * Does something for one tag after the other.
 *
 * @throws CrmError that also names the tags that were done before one failed
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
			throw withProgress(error, tag, done, doneWord);
		}
		done.push(tag);
	}
}

function withProgress(error: unknown, tag: string, done: string[], doneWord: string): unknown {
	if (!(error instanceof CrmError) || done.length === 0) return error;
	return error.explained(
		`This was for the tag '${tag}'; before it, ${doneWord}: ${done.join(', ')}.`,
	);
}
