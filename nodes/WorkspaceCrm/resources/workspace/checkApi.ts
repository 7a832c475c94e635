import { readChoice, readListRecord, readPage } from '../../api/assumptions';
import type { Api } from '../../api/client';
import { CrmError } from '../../api/crmError';
import type { Page } from '../../api/pagination';
import { isJsonObject } from '../../domain/json';
import { defineBulkOperation } from '../../operations/define';
import { formOf } from './check/answerForm';
import { CHECKED_ENDPOINTS, type CheckedEndpoint, type Ids } from './check/checkedEndpoints';
import { toReport, toSummary, type Finding } from './check/checkReport';

export const checkApi = defineBulkOperation({
	value: 'checkApi',
	name: 'Check API',
	action: 'Check API',
	description:
		'Find out whether n8n understands what the service answers. Reads each list once, and changes nothing.',
	effect: 'read',
	fields: [
		{
			displayName: 'Output',
			name: 'output',
			type: 'options',
			default: 'endpoints',
			description:
				'Neither has values of your workspace in it, only names of fields and kinds of values',
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
		const findings = await checkAll(api);
		const isReport = first && 'params' in first && first.params.output === 'report';
		const more = isReport
			? [{ report: toReport(findings) }]
			: findings.map((each) => ({ ...each }));
		return { outcomes: [], more, summary: toSummary(findings) };
	},
});

/** @throws CrmError if no request succeeds, or one fails for a reason that concerns all */
async function checkAll(api: Api): Promise<Finding[]> {
	const findings: Finding[] = [];
	const ids: Ids = {};
	const failures: CrmError[] = [];
	for (const endpoint of CHECKED_ENDPOINTS) {
		const onError = (error: unknown) => {
			const failure = readFailure(error, findings.length === 0);
			failures.push(failure);
			return toFailure(endpoint, failure);
		};
		findings.push(await check(api, endpoint, ids).catch(onError));
	}
	const [failure] = failures;
	if (failure && findings.every(({ status }) => status === undefined || status >= 300)) {
		throw failure.withContext('All requests of the check had this answer, or could not be made.');
	}
	return findings;
}

/** @throws what was given if other requests would fail in the same way, so that the check ends */
function readFailure(error: unknown, isFirst: boolean): CrmError {
	if (!(error instanceof CrmError) || error.concernsAll || error.status === undefined) throw error;
	// What answers the first request with something that is no JSON is not the API.
	if (isFirst && error.status < 300) throw error;
	return error;
}

async function check(api: Api, endpoint: CheckedEndpoint, ids: Ids): Promise<Finding> {
	const { name, isRecord = false, query, gives, expectations } = endpoint;
	const path = endpoint.pathFor(ids);
	if (path === undefined) {
		return {
			endpoint: name,
			notFound: [],
			whatToDo: 'Not checked: there is no record to ask for.',
		};
	}
	const { status, body } = await api.ask({ method: 'GET', path, query, advice: ADVICE });
	const form = formOf(body);
	const page = isRecord ? toRecord(body) : status === 204 ? { rows: [] } : readPage(body);
	const found = { endpoint: name, status, form };
	if (!page) {
		const notFound = [isRecord ? 'a record' : 'a list'];
		return { ...found, understood: false, notFound, whatToDo: NOT_READ };
	}
	const [row] = page.rows;
	if (gives && row !== undefined) ids[gives] = idOf(row);
	const count = { records: page.rows.length, total: page.total };
	const missing = expectations.filter(({ isMet }) => !isMet(page));
	return {
		...found,
		...(!isRecord && count),
		understood: missing.length === 0,
		notFound: missing.map(({ what }) => what),
		whatToDo: missing.map(({ whatToDo }) => whatToDo).join(' ') || whenEmpty(page),
	};
}

const NOT_READ =
	'n8n cannot read this answer, and no setting cures that. Share the report, so that the node can be mended.';

const ADVICE = {
	404: [
		'The service has nothing at this address',
		'Check the base URL in the credential: it must be that of the API, and end before /v1.',
	],
} as const;

function toRecord(body: unknown): Page | undefined {
	return isJsonObject(body) ? { rows: [body] } : undefined;
}

function idOf(row: unknown): string | undefined {
	return readChoice(readListRecord(row, 'id'))?.value;
}

function whenEmpty({ rows }: Page): string {
	if (rows.length > 0) return 'Nothing.';
	return 'The list is empty, so its records could not be checked. Add one in the app, and check again.';
}

function toFailure({ name }: CheckedEndpoint, error: CrmError): Finding {
	return {
		endpoint: name,
		status: error.status,
		understood: false,
		problem: error.message,
		notFound: [],
		whatToDo: error.description,
	};
}
