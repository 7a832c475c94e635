/** Mutants that no test can notice, and why that is no gap. What is not given may be anything. */
export interface Explanation {
	/** From `nodes/WorkspaceCrm`. */
	file: string;
	/** The line that the changed code begins in; here and below, blanks of any kind count as one. */
	line?: string;
	/** The code that is changed. */
	original?: string;
	/** What it is changed to. */
	replacement?: string;
	reason: string;
}

export const explanations: Explanation[] = [
	{
		file: 'api/errors.ts',
		original: "failure.kind !== 'status'",
		replacement: 'false',
		reason: 'Only a failure with a status has one, and it is compared with 502 next.',
	},
	{
		file: 'api/errors.ts',
		original: "failure.kind === 'status'",
		line: "return failure.kind === 'status' ? failure.retryAfterMs : undefined;",
		replacement: 'true',
		reason: 'Only a failure with a status has such a time; of the others it is undefined.',
	},
	{
		file: 'api/errors.ts',
		original: 'status < 400',
		replacement: 'status <= 400',
		reason: 'The status 400 has its own text, which is looked up before.',
	},
	{
		file: 'api/errors.ts',
		original: 'status >= 300',
		replacement: 'true',
		reason: 'A status under 300 is no failure.',
	},
	{
		file: 'api/pagination.ts',
		original: 'pageSize === 0',
		replacement: 'false',
		reason: 'A round of pages of no rows ends where it begins, which ends the reading as well.',
	},
	...['false', 'nextEnd < end'].map((replacement) => ({
		file: 'api/pagination.ts',
		original: 'nextEnd <= end',
		replacement,
		reason: 'Such a round asks for nothing and brings nothing new, which ends the reading as well.',
	})),
	{
		file: 'api/pagination.ts',
		line: 'for (const offset of offsets) count = collect(pages.get(offset) ?? []);',
		original: '[]',
		reason: 'It is for the compiler: there is a page for each offset.',
	},
	{
		file: 'api/pagination.ts',
		original: 'end - start',
		replacement: 'end + start',
		reason: 'It gives offsets past the end as well, and there nothing is asked for.',
	},
	{
		file: 'domain/atOnce.ts',
		original: 'other.index < first.index',
		replacement: 'other.index <= first.index',
		reason: 'No two failures have the same index.',
	},
	{
		file: 'domain/baseUrl.ts',
		original: '/^https?:$/',
		replacement: '/^https?:/',
		reason: 'The protocol of a URL has one colon, at its end.',
	},
	{
		file: 'domain/eventFilter.ts',
		original: 'maxAgeMs === undefined',
		replacement: 'false',
		reason: 'No number is more than undefined, so nothing is too old then either.',
	},
	{
		file: 'domain/host.ts',
		original: String.raw`/^(\d+)\.(\d+)\.(\d+)\.(\d+)$/`,
		replacement: String.raw`/(\d+)\.(\d+)\.(\d+)\.(\d+)$/`,
		reason: 'A host whose last part is a number is an IPv4 address; any other is not a URL.',
	},
	{
		file: 'domain/json.ts',
		line: "if (typeof value === 'string' || typeof value === 'boolean' || value === undefined) return value;",
		reason: 'It only saves time: such values come out of JSON as they went in.',
	},
	{
		file: 'domain/json.ts',
		line: 'return text === undefined ? undefined : tryParseJson(text);',
		original: 'text === undefined',
		replacement: 'false',
		reason: 'It is for the compiler: undefined is not JSON, so it gives undefined as well.',
	},
	{
		file: 'domain/json.ts',
		line: "throw invalidJson(label, error instanceof Error ? error.message : '');",
		original: "''",
		reason: 'It is for the compiler: the parser throws nothing but errors.',
	},
	...['domain/json.ts', 'domain/url.ts'].map((file) => ({
		file,
		original: '{ return undefined; }',
		replacement: '{}',
		reason: 'Without a result, a function gives undefined as well.',
	})),
	{
		file: 'domain/sync/automatic.ts',
		original: '!targets.has(name)',
		replacement: 'true',
		reason: 'It only saves time: a name is found the same way each time.',
	},
	{
		file: 'domain/sync/automatic.ts',
		original: 'name.toLowerCase()',
		replacement: 'name.toUpperCase()',
		reason: 'Names are only compared with each other, so both make their case the same.',
	},
	{
		file: 'domain/sync/merge.ts',
		original: 'first.attributes && later.attributes',
		replacement: 'first.attributes || later.attributes',
		reason: 'Where only one row has attributes, these are all that there are.',
	},
];
