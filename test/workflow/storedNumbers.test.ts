import * as fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';
import { parsePhoneNumberFromString, type PhoneNumber } from 'libphonenumber-js/max';

import { runNode } from '../../tools/engine/runNode';
import { process } from '../../tools/support/platform';
import { ofFeatures } from '../support/features';
import {
	build,
	copyOf,
	expectOnly,
	sandbox,
	STORED,
	worlds,
	type World,
} from './storedNumberWorlds';
import { addContact, chosen, variablesOf } from './support';

describe('a service that stores numbers as they were given, and compares them as numbers', () => {
	beforeEach(() => (sandbox.store.rules.phones = 'byNumber'));

	test.each(STORED.filter(([phone]) => /\d{6}$/.test(phone)))(
		'finds %s by %s',
		async (phone, given) => {
			const { id } = addContact(sandbox, { phone });
			const parameters = {
				resource: 'contact',
				operation: 'get',
				contactId: chosen('phone', given),
			};
			const { json } = await runNode(sandbox, { parameters: parameters as INodeParameters });
			expect(json).toMatchObject([{ id }]);
		},
	);
});

describe('an ID in capitals', () => {
	test.each([
		['contact', 'get', {}],
		['contact', 'update', { updateFields: { name: 'New' } }],
		['contact', 'delete', {}],
		['tag', 'add', { tags: 'vip' }],
	])('is the same: %s %s', async (resource, operation, more) => {
		const { id } = addContact(sandbox);
		const contactId = chosen('id', id.toUpperCase());
		const parameters = { resource, operation, contactId, ...more } as INodeParameters;
		const { error } = await runNode(sandbox, { parameters });
		expect(error).toBeUndefined();
		expect(sandbox.requests.at(-1)?.path).toContain(id);
	});
});

async function checkSingle(world: World) {
	const operations: Array<[INodeParameters, boolean?]> = [
		[{ resource: 'contact', operation: 'get' }],
		[{ resource: 'contact', operation: 'update', updateFields: { name: 'New' } }],
		[{ resource: 'tag', operation: 'add', tags: 'vip' }],
		[
			{
				resource: 'message',
				operation: 'sendTemplate',
				template: chosen('name', 'welcome'),
				templateVariables: variablesOf({ name: 'Anna' }),
			},
		],
		[{ resource: 'contact', operation: 'upsert', additionalFields: { name: 'New' } }, true],
		[{ resource: 'contact', operation: 'delete' }],
	];
	for (const [parameters, isUpsert] of operations) {
		const { own, phone, defaultCountry = '' } = build(world);
		const before = copyOf();
		const how = isUpsert
			? { phone, additionalFields: { ...(parameters.additionalFields as object), defaultCountry } }
			: { contactId: chosen('phone', phone), defaultCountry };
		const run = { parameters: { ...parameters, ...how } as INodeParameters };
		const { json, error } = await runNode(sandbox, run);
		expectOnly(before, own, world.number);
		// Of each form two, and one for other spellings.
		const searches = sandbox.requests.filter(({ query }) => query.search !== undefined);
		expect(searches.length).toBeLessThanOrEqual(5);
		const ids = own.map(({ id }) => id);
		const [left] = ids.filter((id) => !sandbox.store.contacts.has(id));
		const meant = json[0]?.contact_id ?? json[0]?.id ?? left;
		if (!error && !isUpsert) expect(ids).toContain(meant);
		if (own.length > 1 && !isUpsert && !error) expect(isOneOf(world)).toBe(false);
	}
}

/** Whether a number in E.164 finds all contacts of the world: their digits begin with the code. */
const isOneOf = ({ stored }: World) => stored.every((each) => each.spelling < 3);

const checks = [
	...ofFeatures<{ check: (world: World) => Promise<void> }>('storedNumbers').map(
		({ check }) => check,
	),
	checkSingle,
];
const numRuns = Number(process.env.WORLDS ?? 60);

/** `WORLDS=300 npx jest storedNumbers` runs more worlds. */
test(
	'every operation means the contact with a number, or refuses, however it is stored and given',
	async () => {
		await fc.assert(
			fc.asyncProperty(worlds, async ({ number, ...more }) => {
				const world = { ...more, number: parsePhoneNumberFromString(number) as PhoneNumber };
				for (const check of checks) await check(world);
			}),
			{ numRuns, endOnFailure: true },
		);
	},
	numRuns * 10_000,
);
