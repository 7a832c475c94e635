/** Reads lines such as `plan: pro`. Lines without a name or a colon are left out. */
export function readLines(text: string): Record<string, string> {
	const pairs = text
		.split('\n')
		.map((line) => /^\s*([^:]*[^:\s])\s*:\s*(.*?)\s*$/.exec(line))
		.filter((match) => match !== null);
	return Object.fromEntries(pairs.map(([, name, value]) => [name, value]));
}
