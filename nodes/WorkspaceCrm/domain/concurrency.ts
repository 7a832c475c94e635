/**
 * How many items or contacts are handled at once: enough to use the whole rate limit with answers that take
 * two seconds, and few enough that not many are refused if the limit is used up.
 */
export const ITEMS_AT_ONCE = 5;

/**
 * Does something for every value, several at once, starting them in order. After a failure no other is
 * started, and those in progress are finished.
 *
 * @throws the failure of the earliest value that failed
 */
export async function forEachAtOnce<T>(
	values: Iterable<T>,
	atOnce: number,
	act: (value: T) => Promise<void>,
): Promise<void> {
	const failures: Array<{ index: number; error: unknown }> = [];
	const queue = values[Symbol.iterator]();
	let count = 0;
	const work = async () => {
		for (let next = queue.next(); !next.done; next = queue.next()) {
			if (failures.length > 0) return;
			const index = count++;
			await act(next.value).catch((error: unknown) => failures.push({ index, error }));
		}
	};
	await Promise.all(Array.from({ length: atOnce }, work));
	const [first] = failures.sort((a, b) => a.index - b.index);
	if (first) throw first.error;
}
