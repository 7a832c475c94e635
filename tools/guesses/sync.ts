/** Dry runs of Sync in n8n's engine: what somebody sees of each row. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { createRuntime } from '../../nodes/WorkspaceCrm/crm/connection';
import { systemClock } from '../../nodes/WorkspaceCrm/n8n/systemClock';
import { runNode } from '../engine/runNode';
import { startSandbox } from '../sandbox';

export interface Seen {
	action: string;
	changes: Record<string, { to?: unknown; added?: string[] }>;
	phone: unknown;
}

/** The CRM's list of so many contacts is read within the rate. */
const AT_ONCE = 10_000;

/**
 * @param rows the cells, and what the CRM has of their contact: null if it has none. If that is given, a phone is added
 */
export async function dryRun(
	rows: ReadonlyArray<{ cells: IDataObject; contact?: IDataObject | null }>,
	options: IDataObject,
): Promise<Seen[]> {
	if (rows.length > AT_ONCE) {
		const first = await dryRun(rows.slice(0, AT_ONCE), options);
		return [...first, ...(await dryRun(rows.slice(AT_ONCE), options))];
	}
	const sandbox = await startSandbox({ limiter: { kind: 'off' } });
	const items = rows.map(({ cells, contact }, index) => {
		const phone = `+4915123${String(index).padStart(6, '0')}`;
		if (contact) sandbox.store.addContact({ phone, ...contact });
		return contact === undefined ? cells : { phone, ...cells };
	});
	// Of an attribute, as the editor saves it.
	const schema = [{ id: 'attributes.value', displayName: '', type: 'string' }];
	const parameters = {
		resource: 'contact',
		operation: 'sync',
		columns: { mappingMode: 'autoMapInputData', value: null, schema },
		options: { ...options, dryRun: true },
	} as unknown as INodeParameters;
	const runtime = createRuntime(systemClock);
	const { json, error } = await runNode(sandbox, { parameters, items, runtime });
	await sandbox.close();
	if (error) throw error;
	return json.map(({ sync, phone }) => {
		const { action = '', changes = {} } = sync as unknown as Partial<Seen>;
		return { action, changes, phone };
	});
}
