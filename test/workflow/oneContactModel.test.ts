import * as fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import { runNode } from '../../tools/engine/runNode';
import { process } from '../../tools/support/platform';
import { ofFeatures } from '../support/features';
import { build, sandbox, SUBSCRIBERS, worlds, type Scene } from './oneContactWorlds';
import { chosen } from './support';

/** Single operations find the one contact, name both of two, and make no second one. */
async function checkSingle({ world: { rows: given }, contactsOf: of }: Scene) {
	const named = [...new Set(given.map(({ subscriber }) => subscriber))].slice(0, 2);
	for (const place of named.filter((each) => SUBSCRIBERS[each].isComparable)) {
		const known = of(place);
		const ids = known.map(({ id }) => id);
		for (const phone of SUBSCRIBERS[place].typed) {
			const contactId = chosen('phone', phone);
			const get = { resource: 'contact', operation: 'get', contactId } as INodeParameters;
			const { json, error } = await runNode(sandbox, { parameters: get });
			if (known.length === 1) expect(json).toMatchObject([{ id: ids[0] }]);
			else expect(error?.message).toMatch(known.length > 1 ? /^2 contacts/ : /^No contact/);
			if (known.length > 1) for (const id of ids) expect(error?.description).toContain(id);
			const upsert = { resource: 'contact', operation: 'upsert', phone } as INodeParameters;
			await runNode(sandbox, { parameters: upsert });
			expect(of(place)).toHaveLength(Math.max(1, known.length));
			if (known.length === 0) break;
		}
	}
}

/** The features come first, as a single operation may create contacts. */
const checks = [
	...ofFeatures<{ check: (scene: Scene) => Promise<void> }>('oneContactModel').map(
		({ check }) => check,
	),
	checkSingle,
];
const numRuns = Number(process.env.WORLDS ?? 60);

test(
	'every operation means the same contact, and changes no consent in doubt',
	async () => {
		await fc.assert(
			fc.asyncProperty(worlds, async (world) => {
				const scene = build(world);
				for (const check of checks) await check(scene);
			}),
			// Shrinking takes minutes.
			{ numRuns, endOnFailure: true },
		);
	},
	numRuns * 10_000,
);
