import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Contact } from '../../tools/sandbox';
import { nodeLogger } from '../support/nodeLogger';
import { runNode } from '../../tools/engine/runNode';
import { addContacts, patientRuntime, useSandbox } from './support';

/** What n8n's log says while a run takes long: the rate limit allows 120 requests, then two a second. */
export const sandbox = useSandbox({ limiter: { kind: 'off' } });
const COUNT = 480;

export let contacts: Contact[];
export let log: string[];
beforeEach(() => {
	contacts = addContacts(sandbox, COUNT, { opt_in_status: 'confirmed' });
	log = [];
	jest.spyOn(nodeLogger(), 'info').mockImplementation((line) => void log.push(line));
});

export const byId = ({ id, phone }: Contact): IDataObject => ({ id, phone });

type Row = [name: string, parameters: INodeParameters, itemOf: (contact: Contact) => IDataObject];

export function testProgress(...rows: Row[]): void {
	test.each(rows)('%s says each minute how far it is', async (name, parameters, itemOf) => {
		const { runtime, clock } = patientRuntime();
		const { error } = await runNode(sandbox, { parameters, items: contacts.map(itemOf), runtime });
		expect(error).toBeUndefined();
		const lines = log.map((line) =>
			/^Workspace CRM: (.+): (\d+) of 480 done, about (\d+) minutes? left$/.exec(line)?.slice(1),
		);
		const minutes = Math.floor(clock.sleptMs() / 60_000);
		expect(minutes).toBeGreaterThan(1);
		expect([minutes, minutes - 1]).toContain(lines.length);
		expect(lines.map((line) => line?.[0])).toEqual(lines.map(() => name));
		const done = lines.map((line) => Number(line?.[1]));
		expect(done).toEqual([...new Set(done)].sort((a, b) => a - b));
		expect(Number(lines.at(-1)?.[2])).toBeLessThanOrEqual(Number(lines[0]?.[2]));
	});
}
