/** Adds a value to those with a key. */
export function addTo<K, V>(groups: Map<K, V[]>, key: K, value: V): void {
	const same = groups.get(key);
	if (same) same.push(value);
	else groups.set(key, [value]);
}
