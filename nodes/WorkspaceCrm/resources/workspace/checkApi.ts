import { readPage } from '../../api/assumptions';
import type { Api } from '../../api/client';
import { CrmError } from '../../api/crmError';
import type { Page } from '../../api/pagination';
import { isJsonObject } from '../../domain/json';
import { InputProblem } from '../../domain/problem';
import { defineBulkOperation } from '../../operations/define';
import { formOf } from './check/answerForm';
import { CHECKED_ENDPOINTS, type CheckedEndpoint, type Ids } from './check/checkedEndpoints';
import { toReport, toSummary, type Finding } from './check/checkReport';

export const checkApi = defineBulkOperation({
	value: 'checkApi',
	name: 'Check API',
	action: 'Check API',
	description:
		'Find out whether n8n understands what the service answers. Reads the first page of each list, and changes nothing.',
	effect: 'read',
	fields: [
		{
			displayName: 'Output',
			name: 'output',
			type: 'options',
			default: 'endpoints',
			description:
				'Both show names of fields and kinds of values, not the values. Read them before you share them.',
			options: [
				{
					name: 'Item for Each Endpoint',
					value: 'endpoints',
					description: 'What was understood, and what to do where something was not',
				},
				{
					name: 'Report to Share',
					value: 'report',
					description: 'One text, to paste into an issue',
				},
			],
			perRun: true,
		},
	],

	async executeAll(api, items) {
		const [first] = items;
		if (first && 'problem' in first && first.problem) throw first.problem;
		// What the credential has wrong, the first message would meet.
		api.bodyFields();
		const findings = await checkAll(api);
		const isReport = first && 'params' in first && first.params.output === 'report';
		const more = isReport
			? [{ report: toReport(findings) }]
			: findings.map(({ form, ...rest }) => ({ ...rest, ...(form !== undefined && { form }) }));
		return { outcomes: [], more, summary: toSummary(findings) };
	},
});

/** @throws CrmError if no request succeeds: the reason of the first */
async function checkAll(api: Api): Promise<Finding[]> {
	const findings: Finding[] = [];
	const ids: Ids = {};
	const failures: CrmError[] = [];
	for (const endpoint of CHECKED_ENDPOINTS) {
		const last = failures.at(-1);
		if (last && endsTheCheck(last)) {
			findings.push(
				notChecked(endpoint, 'The request before it failed in a way that others would, too.'),
			);
			continue;
		}
		const onError = (error: unknown) => {
			if (error instanceof InputProblem) return notChecked(endpoint, error.message);
			if (!(error instanceof CrmError)) throw error;
			failures.push(error);
			return toFailure(endpoint, error);
		};
		findings.push(await check(api, endpoint, ids).catch(onError));
	}
	const [failure] = failures;
	if (failure && findings.every(({ form }) => form === undefined)) throw failure;
	return findings;
}

/** A key that is refused, a limit that is used up, and a service that is not there: for every request. */
function endsTheCheck({ concernsAll, status }: CrmError): boolean {
	return concernsAll || status === undefined;
}

async function check(api: Api, endpoint: CheckedEndpoint, ids: Ids): Promise<Finding> {
	const { name, isRecord = false, query, gives, expectations, unknownNames } = endpoint;
	const path = endpoint.pathFor(ids);
	if (path === undefined) return notChecked(endpoint, 'There is no record to try.');

	const { status, body } = await api.ask({ method: 'GET', path, query, advice: ADVICE });
	const found = { endpoint: name, status, form: formOf(body, unknownNames) };
	const page = isRecord ? toRecord(body) : status === 204 ? { rows: [] } : readPage(body);
	if (!page) {
		const notFound = [isRecord ? 'a record' : 'a list'];
		return { ...found, understood: false, notFound, whatToDo: NOT_READ };
	}
	if (gives) ids[gives.id] = page.rows.map(gives.of).find((id) => id !== undefined);
	const missing = expectations.filter(({ isMet }) => !isMet(page));
	return {
		...found,
		...(!isRecord && { records: page.rows.length, total: page.total }),
		understood: missing.length === 0,
		notFound: missing.map(({ what }) => what),
		whatToDo:
			[...new Set(missing.map(({ whatToDo }) => whatToDo))].join(' ') || whenUnderstood(page),
	};
}

const NOT_READ =
	'n8n cannot read this answer, and no setting fixes that. Share the report, so that the node can be fixed.';

/** If nothing at all is found, the address is wrong. */
const ADVICE = {
	404: [
		'The service has nothing at this address',
		'Check the base URL in the credential: it must be that of the API, and end before /v1.',
	],
} as const;

function toRecord(body: unknown): Page | undefined {
	return isJsonObject(body) ? { rows: [body] } : undefined;
}

function whenUnderstood({ rows }: Page): string {
	if (rows.length > 0) return 'Nothing to do.';
	return 'The list is empty, so its records could not be checked. Add one in the app, and check again.';
}

function notChecked({ name }: CheckedEndpoint, why: string): Finding {
	return { endpoint: name, notFound: [], whatToDo: `Not checked. ${why}` };
}

/** In words of our own: what the service says may name records. */
const FAILURES: Readonly<Record<number, readonly [problem: string, whatToDo: string]>> = {
	401: [
		'The API key was not accepted',
		'Paste it again in the credential. It may have been revoked.',
	],
	402: ['The subscription is inactive', 'Check the plan of the workspace in the app.'],
	403: ['The API key may not read this', 'Nodes that need it will fail. Use a key of an Admin.'],
	404: [
		'The service has nothing at this address',
		'Nodes that need it will fail. Share the report.',
	],
	429: ['The rate limit is used up', 'Wait some minutes, and check again.'],
};

function toFailure({ name }: CheckedEndpoint, { status }: CrmError): Finding {
	const [problem, whatToDo] = FAILURES[status ?? 0] ?? [
		status === undefined
			? 'There was no answer'
			: status < 300
				? 'The answer is no JSON'
				: `The service refused with status ${status}`,
		'Check again later. If it stays so, share the report.',
	];
	return { endpoint: name, status, understood: false, problem, notFound: [], whatToDo };
}
