import type { AnswerForm } from './answerForm';

/** What the check found out about an endpoint. */
export interface Finding {
	/** As the API reference has it, such as `GET /v1/tags`. */
	endpoint: string;
	/** HTTP; undefined if it was not asked. */
	status?: number;
	understood?: boolean;
	/** What went wrong with the request. */
	problem?: string;
	/** How many records the first page has. */
	records?: number;
	/** How many the service counts. */
	total?: number;
	form?: AnswerForm;
	/** What the nodes need, and the answer does not have. */
	notFound: string[];
	whatToDo: string;
}

/** One or two sentences that sum it up. */
export function toSummary(findings: Finding[]): string {
	const answered = findings.filter(({ form }) => form !== undefined);
	const refused = findings.filter(({ problem }) => problem !== undefined);
	const odd = answered.filter(({ understood }) => !understood);
	const empty = answered.filter(({ records }) => records === 0);
	const notAsked = findings.filter((each) => !answered.includes(each) && !refused.includes(each));
	const names = (some: Finding[]) => some.map(({ endpoint }) => endpoint).join(', ');
	return [
		odd.length === 0
			? `All ${answered.length} answers are understood.`
			: `${answered.length - odd.length} of ${answered.length} answers are understood. Look at 'whatToDo' of: ${names(odd)}.`,
		refused.length > 0 ? `Failed: ${names(refused)}.` : '',
		empty.length > 0 ? `Empty, so their records could not be checked: ${names(empty)}.` : '',
		notAsked.length > 0 ? `Not checked: ${names(notAsked)}.` : '',
		'Sending and enrolling were not tried: send one message to yourself.',
	]
		.filter((text) => text)
		.join(' ');
}

/** The same for others to read, in Markdown. No value of the workspace is in it. */
export function toReport(findings: Finding[]): string {
	const rows = findings.map(({ endpoint, status, understood, records, notFound }) =>
		[
			endpoint,
			status ?? 'not asked',
			understood === undefined ? '' : understood ? 'yes' : '**no**',
			records ?? '',
			notFound.join(', '),
		].join(' | '),
	);
	const forms = findings.flatMap(({ endpoint, form }) =>
		form === undefined
			? []
			: [`#### ${endpoint}\n\n\`\`\`json\n${JSON.stringify(form, undefined, 2)}\n\`\`\``],
	);
	return [
		'### Check API',
		`| Endpoint | Status | Understood | Records | Not found |\n| --- | --- | --- | --- | --- |\n${rows.map((row) => `| ${row} |`).join('\n')}`,
		...forms,
	].join('\n\n');
}
