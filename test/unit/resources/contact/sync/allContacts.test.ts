import { Api } from '../../../../../nodes/WorkspaceCrm/crm/client';
import { createRuntime } from '../../../../../nodes/WorkspaceCrm/crm/connection';
import type { Transport, WireRequest } from '../../../../../nodes/WorkspaceCrm/crm/transport';
import type { SyncResult } from '../../../../../nodes/WorkspaceCrm/resources/contact/sync/syncResult';
import type { Row } from '../../../../../nodes/WorkspaceCrm/resources/contact/sync/row';
import { syncContacts } from '../../../../../nodes/WorkspaceCrm/resources/contact/sync/allContacts';
import { fs } from '../../../../../tools/support/platform';
import { jumpingClock } from '../../../../workflow/support';

/** What Sync does is a function of a client, rows and options: it needs no n8n. */
const ROOM = 'nodes/WorkspaceCrm/resources/contact/sync';
const OF_THE_OPERATION = ['syncOperation.ts', 'syncFields.ts', 'report.ts', 'columns.ts'];

test('only the operation beside it imports what is of n8n', () => {
	const files = fs.readdirSync(ROOM).filter((name) => !OF_THE_OPERATION.includes(name));
	const importing = files.filter((name) =>
		/n8n-workflow|\/n8n\/|operations\/engine/.test(fs.readFileSync(`${ROOM}/${name}`, 'utf8')),
	);
	expect(importing).toEqual([]);
});

const known = {
	id: '3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b',
	phone: '+4915123456789',
	name: 'Ana',
	opt_in_status: 'none',
};

/** A service with one contact. */
function service() {
	const sent: Array<Pick<WireRequest, 'method'> & { body?: unknown }> = [];
	const answerTo = (method: string, body: object): unknown => {
		if (method === 'GET') return { data: [known], total: 1, limit: 100, offset: 0 };
		if (method === 'PATCH') return { ...known, ...body };
		return { id: 'b'.repeat(8), ...body, created: true };
	};
	const transport: Transport = {
		send: async ({ method, body = '{}' }) => {
			const json = JSON.parse(body) as object;
			if (method !== 'GET') sent.push({ method, body: json });
			const answer = Buffer.from(JSON.stringify(answerTo(method, json)));
			return await Promise.resolve({ status: 200, headers: {}, body: only(answer) });
		},
	};
	const fields = { baseUrl: 'https://crm.example.com', apiKey: 'key' };
	return { sent, crm: new Api(transport, fields, { runtime: createRuntime(jumpingClock()) }) };
}

async function* only(chunk: Buffer) {
	yield await Promise.resolve(chunk);
}

const rowsOf = (): Row[] =>
	[{ name: 'Anna' }, { name: 'New' }].map((fields, item) => ({
		item,
		phone: item === 0 ? known.phone : '+4915123456780',
		fields,
	}));

test.each([true, false])('two rows of one contact each, in a dry run: %s', async (dryRun) => {
	const { sent, crm } = service();
	const memory: Array<{ result?: SyncResult }> = [];
	const { results } = await syncContacts(
		crm,
		rowsOf(),
		{ dryRun },
		{
			of: (item) => (memory[item] ??= {}),
		},
	);
	expect(results.map(({ action }) => action)).toEqual(['updated', 'created']);
	const writes = [
		{ method: 'PATCH', body: { name: 'Anna' } },
		{ method: 'POST', body: { phone: '+4915123456780', name: 'New' } },
	];
	// Both are sent at the same time.
	sent.sort((a, b) => a.method.localeCompare(b.method));
	expect(sent).toEqual(dryRun ? [] : writes);
	expect(memory.map(({ result }) => result !== undefined)).toEqual(
		dryRun ? [false, false] : [true, true],
	);
});

test('rows that an earlier try did not yet take for one contact are synced together', async () => {
	const { sent, crm } = service();
	const memory: Array<{ result?: SyncResult }> = [{ result: { action: 'unchanged' } }];
	const rows = [{ name: 'Ana' }, { source: 'Fair' }].map((fields, item) => {
		return { item, phone: known.phone, fields };
	});
	const { results } = await syncContacts(crm, rows, {}, { of: (item) => (memory[item] ??= {}) });
	expect(sent).toEqual([{ method: 'PATCH', body: { source: 'Fair' } }]);
	expect(results.map(({ action }) => action)).toEqual(['updated', 'updated']);
	expect(memory.map(({ result }) => result?.action)).toEqual(['updated', 'updated']);
});
