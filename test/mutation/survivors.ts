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
		line: "const retryAfterMs = failure.kind === 'status' ? failure.retryAfterMs : undefined;",
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
		file: 'api/transport.ts',
		line: "return method === 'DELETE' && failure.kind === 'status' && failure.status === 404;",
		original: "failure.kind === 'status'",
		replacement: 'true',
		reason: 'It is for the compiler: no other failure has the status 404.',
	},
	{
		file: 'api/baseUrl.ts',
		original: '/^https?:$/',
		replacement: '/^https?:/',
		reason: 'The protocol of a URL has one colon, at its end.',
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
	{
		file: 'api/assumptions.ts',
		line: "const [, name = ''] = placeholder;",
		original: "''",
		reason: 'It is for the compiler: a placeholder always has a name.',
	},
	{
		file: 'api/assumptions.ts',
		original: 'contexts.size <= MAX_VARIABLES',
		replacement: 'true',
		reason: 'It only saves time: one more than are shown tells that there are more.',
	},
	{
		file: 'api/assumptions.ts',
		original: String.raw`/^\S*\s/`,
		replacement: String.raw`/\S*\s/`,
		reason:
			'Where a text has a blank, this matches from its beginning; where it has none, nowhere.',
	},
	{
		file: 'api/attempt.ts',
		original: 'first && chunks.length === 1',
		replacement: 'false',
		reason: 'It only saves time: one piece put together is the same.',
	},
	{
		file: 'api/pagination.ts',
		line: 'const offsets: number[] = [];',
		original: '[]',
		reason: 'From what is no number nothing is read.',
	},
	{
		file: 'api/pagination.ts',
		original: 'offset < nextEnd',
		replacement: 'offset <= nextEnd',
		reason: 'At the end of a round there is nothing left to ask for.',
	},
	{
		file: 'api/redact.ts',
		line: String.raw`const parts = secret.match(/\\+|[^\\]/gu) ?? [];`,
		original: '[]',
		reason: 'It is for the compiler: a secret that is long enough has such parts.',
	},
	{
		file: 'api/redact.ts',
		original: 'text.length < secret.length',
		replacement: 'false',
		reason: 'It only saves time: a text that is shorter than the secret does not hold it.',
	},
	{
		file: 'api/retry.ts',
		line: "const askedMs = failure.kind === 'status' ? (failure.retryAfterMs ?? 0) : 0;",
		original: "failure.kind === 'status'",
		replacement: 'true',
		reason: 'Only a failure with a status has such a time; of the others it is undefined.',
	},
	{
		file: 'api/transport.ts',
		line: "if (failure) sofar[isRefused ? 'refusals' : 'failedTries'] += 1;",
		original: 'failure',
		replacement: 'true',
		reason: 'After a success nobody asks how often it failed.',
	},
	{
		file: 'domain/json.ts',
		original: 'mapped !== parts[index]',
		replacement: 'true',
		reason: 'It only saves time: it sets what is there already.',
	},
	{
		file: 'domain/json.ts',
		original: 'mapped !== object[name]',
		replacement: 'true',
		reason: 'It only saves time: it sets what is there already.',
	},
	{
		file: 'resources/contact/sync/desired.ts',
		line: "return mention?.id === undefined && phoneDigits(mention?.typed ?? '').length < ENDING;",
		original: "''",
		reason: 'A text without digits is as unreadable as none.',
	},
	{
		file: 'resources/contact/sync/desired.ts',
		original: '/[^0-9]+[0-9]*$/',
		replacement: '/[^0-9][0-9]*$/',
		reason: 'Taken off one by one, signs between digits leave the same digits in the end.',
	},
	{
		file: 'resources/contact/sync/desired.ts',
		line: 'return [typed, ...(shorter !== typed && isExtension ? withoutExtensions(shorter) : [])];',
		original: '[]',
		reason: 'It has no digits, so it is the end of no number.',
	},
	{
		file: 'resources/contact/sync/plan.ts',
		line: 'return fieldNames(extraTags.length > 0 ? { tags: [], ...fields } : fields);',
		original: '[]',
		reason: 'Only the name of the field is taken.',
	},
	{
		file: 'resources/contact/sync/report.ts',
		line: 'const { items = [] } = desired[index] ?? {};',
		original: '[]',
		reason: 'It is for the compiler: there is a contact for each result.',
	},
	{
		file: 'resources/contact/sync/report.ts',
		original: 'items.slice(0, SHOWN_ITEMS + 1)',
		replacement: 'items',
		reason: 'It only saves time: the first ten others are among the first eleven.',
	},
	{
		file: 'trigger/deduplication.ts',
		line: "private read = '';",
		original: "''",
		reason: 'An empty text holds no keys, whether it is read or not.',
	},
	{
		file: 'trigger/filter.ts',
		original: String.raw`/^\d{4}-\d{2}-\d{2}/`,
		replacement: String.raw`/\d{4}-\d{2}-\d{2}/`,
		reason: 'A time of ISO 8601 has nothing before its date.',
	},
	{
		file: 'trigger/filter.ts',
		original: String.raw`/^\d{4}-\d{2}-\d{2}/`,
		replacement: String.raw`/^\d{4}-\d{2}-\d/`,
		reason: 'The digit of the date that is left does not look like a zone.',
	},
	{
		file: 'trigger/filter.ts',
		original: "''",
		replacement: '"Stryker was here!"',
		reason: 'What is put in place of the date does not look like a zone either.',
	},
	{
		file: 'trigger/filter.ts',
		original: String.raw`/z$|[+-]\d{2}(:?\d{2})?$/i`,
		replacement: String.raw`/z|[+-]\d{2}(:?\d{2})?$/i`,
		reason: 'No time can be read that has a z before its end.',
	},
	...['/(.{8})(.{4})(.{4})(.{4})(.{12})$/', '/^(.{8})(.{4})(.{4})(.{4})(.{12})/'].map(
		(replacement) => ({
			file: 'changes/baseline.ts',
			replacement,
			reason: 'It meets 32 digits only, so it fits from their beginning to their end.',
		}),
	),
	{
		file: 'changes/baseline.ts',
		original: "'utf8'",
		reason: 'Without an encoding, Node.js takes UTF-8.',
	},
	{
		file: 'changes/kept.ts',
		original: 'piece.startsWith(UNKNOWN)',
		replacement: 'piece.endsWith(UNKNOWN)',
		reason: 'All characters of a piece are unknown, or none is.',
	},
	{
		file: 'changes/missing.ts',
		original: 'entries.get(id)?.misses',
		replacement: 'entries.get(id).misses',
		reason: 'It is for the compiler: there is an entry for each of these ids.',
	},
	{
		file: 'changes/pollOnce.ts',
		line: 'if (entry) entry.misses = 0;',
		original: 'entry',
		reason: 'It is for the compiler: there is an entry for each of these ids.',
	},
	{
		file: 'changes/reading.ts',
		original: 'total !== undefined',
		replacement: 'true',
		reason: 'It is for the compiler: undefined is not more than any number.',
	},
	{
		file: 'resources/contact/sync/desired.ts',
		line: "if ('problem' in row || !row.contact || row.phone === '') continue;",
		original: "'problem'",
		reason: 'It is for the compiler: a problem has no contact either.',
	},
	...["row.phone === ''", "''"].map((original) => ({
		file: 'resources/contact/sync/desired.ts',
		line: "if ('problem' in row || !row.contact || row.phone === '') continue;",
		original,
		reason: 'Only a row with an ID has no phone, and that goes by its contact.',
	})),
];
