/**
 * Reads the form in which n8n hands out execution data: a JSON array in which an object's or a
 * list's string members are positions in that array, so that shared and circular parts fit.
 */
export function unflatten(text: string): unknown {
	const entries = JSON.parse(text) as unknown[];
	const revived = new Map<number, object>();

	function valueAt(position: number): unknown {
		const entry = entries[position];
		if (typeof entry !== 'object' || entry === null) return entry;
		const known = revived.get(position);
		if (known) return known;
		const target: object = Array.isArray(entry) ? [] : {};
		// kept before its members are read, because one of them may lead back to it
		revived.set(position, target);
		for (const [key, member] of Object.entries(entry)) {
			const value: unknown = typeof member === 'string' ? valueAt(Number(member)) : member;
			Object.assign(target, { [key]: value });
		}
		return target;
	}

	return valueAt(0);
}
