import type { IDataObject } from 'n8n-workflow';
import { performance } from '../support/platform';
import type { Sandbox } from '../sandbox';
import { outputItems } from './executionData';
import type { N8nRestClient } from './n8nRestClient';

/** What a run of the example `contact-import.json` did. */
export interface ContactImport {
	counts: ImportCounts;
	rejected: RejectedRow[];
	elapsedMs: number;
	contactsBefore: number;
	contactsAfter: number;
}

export interface RejectedRow {
	name: string;
	reason: string;
	remedy: string;
}

export interface ImportCounts {
	rows: number;
	created: number;
	updated: number;
	rejected: number;
	/** Requests that reached the CRM. */
	requests: number;
}

/** Of the 36 rows, two repeat an earlier phone number in another format and four cannot be read. */
export const expectedCounts: ImportCounts = {
	rows: 36,
	created: 30,
	updated: 2,
	rejected: 4,
	// the bad rows are refused before anything is sent
	requests: 32,
};

const expectedRejectedNames = ['Too short', 'Letters', 'No phone', 'Unknown country'];
const workflowId = 'contactImportDemo';

/** Runs the example in a running n8n, against the sandbox that its credential leads to. */
export async function runContactImport(
	rest: N8nRestClient,
	sandbox: Sandbox,
): Promise<ContactImport> {
	const contactsBefore = sandbox.store.contacts.size;
	const requestsBefore = sandbox.requests.length;
	const startMs = performance.now();
	const { data, status } = await rest.runWorkflow(workflowId, 'When clicking ‘Execute workflow’');
	const elapsedMs = performance.now() - startMs;
	if (status !== 'success') {
		throw new Error(`The example ended with '${status}': ${data.resultData.error?.message}`);
	}

	const saved = outputItems(data, 'Saved');
	const rejected = outputItems(data, 'Rejected');
	return {
		counts: {
			rows: outputItems(data, 'Each row').length,
			created: saved.filter(({ created }) => created === true).length,
			updated: saved.filter(({ created }) => created === false).length,
			rejected: rejected.length,
			requests: sandbox.requests.length - requestsBefore,
		},
		rejected: rejected.map(readRejected),
		elapsedMs,
		contactsBefore,
		contactsAfter: sandbox.store.contacts.size,
	};
}

function readRejected({ name, error, description }: IDataObject): RejectedRow {
	return { name: String(name), reason: String(error ?? ''), remedy: String(description ?? '') };
}

/** What differs from what the example should do; empty when all is well. */
export function findDeviations(result: ContactImport): string[] {
	const { counts, rejected, contactsBefore, contactsAfter } = result;
	const names = Object.keys(expectedCounts) as Array<keyof ImportCounts>;
	const deviations = names
		.filter((name) => counts[name] !== expectedCounts[name])
		.map((name) => `${name}: ${counts[name]} instead of ${expectedCounts[name]}`);
	if (contactsAfter - contactsBefore !== expectedCounts.created) {
		deviations.push(`${contactsAfter - contactsBefore} more contacts in the CRM`);
	}
	for (const name of expectedRejectedNames) {
		const row = rejected.find((candidate) => candidate.name === name);
		if (!row?.reason) deviations.push(`'${name}' was not rejected with a reason`);
	}
	return deviations;
}
