import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { readContact, type Contact } from '../../../../nodes/WorkspaceCrm/api/types';
import type { JsonObject } from '../../../../nodes/WorkspaceCrm/domain/json';
import type { ContactFields } from '../../../../nodes/WorkspaceCrm/resources/contact/sync/row';
import type { DesiredContact } from '../../../../nodes/WorkspaceCrm/resources/contact/sync/desired';
import type { SyncRules } from '../../../../nodes/WorkspaceCrm/resources/contact/sync/plan';

const text = fc.constantFrom('a', 'b', 'c');
export const tags = fc.uniqueArray(fc.constantFrom('vip', 'new', 'import:a', 'import:b'));
export const attributes: fc.Arbitrary<JsonObject> = fc.dictionary(
	fc.constantFrom('plan', 'seats', '__proto__', 'toString'),
	fc.constantFrom<unknown>('x', 1, false, [1], [], { a: 1, b: { c: 2 } }, { b: { c: 2 }, a: 1 }),
	{ maxKeys: 4, noNullPrototype: true },
);

/** Fields as a row gives them: none is blank. */
export const fields: fc.Arbitrary<ContactFields> = fc.record(
	{
		name: text,
		locale: text,
		source: text,
		attributes: attributes.filter((each) => Object.keys(each).length > 0),
		tags: tags.filter(({ length }) => length > 0),
		opt_in: fc.boolean(),
		consent_proof: text,
	},
	{ requiredKeys: [] },
);

const record = fc.record({
	id: fc.constant('id'),
	phone: fc.constantFrom('+4915123456789', '4915123456789'),
	name: fc.option(text),
	locale: fc.option(text),
	source: fc.option(text),
	attributes: attributes as fc.Arbitrary<IDataObject>,
	tags,
	opt_in_status: fc.constantFrom('none', 'pending', 'confirmed', 'opted_out'),
});

/** A contact as the CRM has it. */
export const contact: fc.Arbitrary<Contact> = record.map(readContact);

export const rules: fc.Arbitrary<SyncRules> = fc.record({
	optInOptedOut: fc.boolean(),
	tagMode: fc.constantFrom('add', 'match'),
	tagPrefix: fc.constantFrom('', 'import:'),
});

export function desiredOf(given: ContactFields): DesiredContact {
	return { phone: '+4915123456789', digits: '4915123456789', fields: given, items: [0] };
}

/** An object without some of its fields. */
export function without(value: object, ...names: string[]): object {
	return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
