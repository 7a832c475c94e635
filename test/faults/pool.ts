/** Does something for every value, so many at a time, in their order. */
export async function inPool<T>(
	values: readonly T[],
	atOnce: number,
	act: (value: T) => Promise<void>,
): Promise<void> {
	const queue = values.values();
	const work = async () => {
		for (const value of queue) await act(value);
	};
	await Promise.all(Array.from({ length: atOnce }, work));
}
