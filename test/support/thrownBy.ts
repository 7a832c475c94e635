/** Returns the error that some code throws. Fails if it throws nothing, or something else. */
export function thrownBy<T extends Error>(
	kind: new (...args: never[]) => T,
	act: () => unknown,
): T {
	let thrown: unknown;
	try {
		act();
	} catch (error) {
		thrown = error;
	}
	if (thrown instanceof kind) return thrown;
	throw new Error(`It should have thrown ${kind.name}, and threw ${String(thrown)}`);
}
