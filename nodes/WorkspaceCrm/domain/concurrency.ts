/**
 * How many items or contacts are handled at once: enough to use the whole rate limit with answers that take
 * two seconds, and few enough that not many are refused if the limit is used up.
 */
export const ITEMS_AT_ONCE = 5;

/**
 * Does something for every value, several at once, starting them in order. After a failure no other is
 * started, and those in progress are finished.
 *
 * @throws the first failure
 */
export async function forEachInParallel<T>(
	values: Iterable<T>,
	atOnce: number,
	act: (value: T) => Promise<void>,
): Promise<void> {
	const failures: unknown[] = [];
	const queue = values[Symbol.iterator]();
	const work = async () => {
		for (let next = queue.next(); !next.done; next = queue.next()) {
			if (failures.length > 0) return;
			await act(next.value).catch((error: unknown) => failures.push(error));
		}
	};
	await Promise.all(Array.from({ length: atOnce }, work));
	if (failures.length > 0) throw failures[0];
}
