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
		file: 'api/attempt.ts',
		original: "'reason' in failure",
		replacement: 'true',
		reason: 'It is for the compiler: what n8n throws always has a reason, if only an empty one.',
	},
	{
		file: 'api/attempt.ts',
		original: '{ body: undefined }',
		replacement: '{}',
		reason: 'A body that is not there is undefined as well.',
	},
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
		file: 'api/transport.ts',
		line: "return method === 'DELETE' && failure.kind === 'status' && failure.status === 404;",
		original: "failure.kind === 'status'",
		replacement: 'true',
		reason: 'It is for the compiler: no other failure has the status 404.',
	},
	{
		file: 'domain/concurrency.ts',
		original: 'other.index < first.index',
		replacement: 'other.index <= first.index',
		reason: 'No two failures have the same index.',
	},
	{
		file: 'api/baseUrl.ts',
		original: '/^https?:$/',
		replacement: '/^https?:/',
		reason: 'The protocol of a URL has one colon, at its end.',
	},
	{
		file: 'trigger/filter.ts',
		original: 'maxAgeMs === undefined',
		replacement: 'false',
		reason: 'No number is more than undefined, so nothing is too old then either.',
	},
	{
		file: 'api/host.ts',
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
	...['domain/json.ts', 'api/url.ts'].map((file) => ({
		file,
		original: '{ return undefined; }',
		replacement: '{}',
		reason: 'Without a result, a function gives undefined as well.',
	})),
	{
		file: 'domain/contactColumns.ts',
		original: '!targets.has(name)',
		replacement: 'true',
		reason: 'It only saves time: a name is found the same way each time.',
	},
	{
		file: 'domain/contactColumns.ts',
		original: 'name.toLowerCase()',
		replacement: 'name.toUpperCase()',
		reason: 'Names are only compared with each other, so both make their case the same.',
	},
	{
		file: 'resources/contact/sync/desired.ts',
		original: 'first.attributes && later.attributes',
		replacement: 'first.attributes || later.attributes',
		reason: 'Where only one row has attributes, these are all that there are.',
	},
	{
		file: 'resources/contact/sync/row.ts',
		original: 'code === undefined',
		replacement: 'false',
		reason: 'A country that is undefined is as good as none.',
	},
	{
		file: 'resources/contact/sync/row.ts',
		line: "const label = attributeColumn(key, 'string').displayName;",
		original: "'string'",
		reason: 'Only the name of the column is taken, which does not depend on its type.',
	},
	{
		file: 'resources/contact/sync/row.ts',
		original: 'CONTACT_COLUMNS.find(({ id }) => id === columnId)?.displayName',
		replacement: 'CONTACT_COLUMNS.find(({ id }) => id === columnId).displayName',
		reason: 'It is for the compiler: there is a column for each of these ids.',
	},
	{
		file: 'resources/contact/sync/row.ts',
		line: "const text = typeof value === 'object' ? '' : String(value).trim().toLowerCase();",
		original: "''",
		reason: 'Any text that means neither true nor false is refused in the same way.',
	},
];
