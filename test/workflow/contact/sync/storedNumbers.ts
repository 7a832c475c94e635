import type { IDataObject } from 'n8n-workflow';

import type { Contact } from '../../../../tools/sandbox';
import { build, contacts, copyOf, expectOnly, sandbox, type World } from '../../storedNumberWorlds';
import { actionsOf, automatic, runSync } from './syncNode';

export const continues = { onError: 'continueRegularOutput' } as const;
export const optIn = { opt_in: true, consent_proof: 'Form' };

export async function check(world: World) {
	const { own, phone, defaultCountry } = build(world);
	const before = copyOf();
	const anyOut = own.some(({ opt_in_status }) => opt_in_status === 'opted_out');
	const rows: IDataObject[] = [{ phone, name: 'New', ...optIn }];
	const options = automatic({ ...(defaultCountry && { defaultCountry }) });
	const { json } = await runSync(sandbox, rows, options, continues);
	expectOnly(before, own, world.number);
	const isIn = ({ id, opt_in_status }: Contact) =>
		opt_in_status === 'confirmed' && before.get(id)?.opt_in_status !== 'confirmed';
	if (anyOut) {
		expect(contacts().filter(isIn)).toEqual([]);
		expect(sandbox.store.consentTrail).toEqual([]);
	}
	// It refuses only in doubt.
	const isClear = world.stored.every((each) => each.spelling === 0) && own.length === 1;
	if (isClear && world.given === 0) expect(actionsOf(json)[0]).toMatch(/updated/);
}
