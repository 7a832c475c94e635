import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { readDelivery, type Delivery } from '../../nodes/WorkspaceCrm/crm/records';
import { mapAutomatically } from '../../nodes/WorkspaceCrm/domain/automaticMapping';
import { withEmptied } from '../../nodes/WorkspaceCrm/resources/contact/contactFields';
import { readCountry } from '../../nodes/WorkspaceCrm/domain/defaultCountry';
import { hasPhrase } from '../../nodes/WorkspaceCrm/domain/text';
import { readYesNo } from '../../nodes/WorkspaceCrm/domain/typedValues';
import { filterAgainst } from '../../nodes/WorkspaceCrm/events/filters';
import { isApproval } from '../../nodes/WorkspaceCrm/resources/message/ask/receiveReply';
import { anyCharacter } from '../support/anyCharacter';
import { actionsOf, automatic, runSync } from './contact/sync/syncNode';
import { addContact, useSandbox, writes } from './support';

/** Texts that people see as the same are the same, in whatever way they are encoded. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
beforeEach(() => sandbox.reset());

const phone = '+4915123456789';

/** Changes to a text that nobody sees. Written out, so that the test does not share the code's rule. */
const invisibly: Array<(text: string) => string> = [
	(text) => text.normalize('NFC'),
	(text) => text.normalize('NFD'),
	(text) => ` ${text}\t`,
	(text) => `\u200b${text}\ufeff`,
	(text) => `\u00a0${text}\u00ad`,
];
const visible = /^[\p{L}\p{N}\p{S}](?:[\p{L}\p{N}\p{P}\p{S} ]*[\p{L}\p{N}\p{S}])?$/u;
const text = fc
	.string({
		unit: fc.oneof(anyCharacter, fc.constantFrom(...'aéüßñ가が')),
		minLength: 1,
		maxLength: 12,
	})
	.filter(
		(each) =>
			visible.test(each) &&
			visible.test(each.normalize('NFD')) &&
			!/[,\u2800\u3164\u115f\u1160\uffa0]/u.test(each) &&
			!/ {2}/.test(each),
	)
	.map((each) => `t${each}`);
const spelling = fc.constantFrom(...invisibly);

/** Whether a filter of the trigger lets an event pass. */
const passes = (name: string, chosen: string, event: string, data: object) => {
	const delivery = readDelivery(Buffer.from(JSON.stringify({ event, data }))) as Delivery;
	return filterAgainst(delivery, { [name]: [chosen] }, 0) === undefined;
};

const isEmptiedAndGiven = (one: string, other: string) => {
	try {
		withEmptied({ attributes: { [one]: 'x' } }, [`attributes.${other}`]);
		return false;
	} catch {
		return true;
	}
};

/** Every place where a text of the user meets one of the service or of the input. */
const COMPARISONS: Array<[where: string, areSame: (one: string, other: string) => boolean]> = [
	['approval words', (word, reply) => isApproval(reply, [word])],
	['Message Contains Words', (phrase, message) => hasPhrase(message, phrase)],
	['the filter by tag', (chosen, tag) => passes('knownTags', chosen, 'tag.added', { tag })],
	['the filter by form', (id, flow_id) => passes('flowIds', id, 'form.submitted', { flow_id })],
	[
		'the filter by message type',
		(chosen, type) => passes('messageTypes', chosen, 'message.received', { message: { type } }),
	],
	[
		'columns and attributes',
		(name, column) => {
			const values = mapAutomatically([`attributes.${name}`], 'ignore').map({ [column]: 1 });
			return `attributes.${name}` in values;
		},
	],
	['Fields to Empty', isEmptiedAndGiven],
];

test.each(COMPARISONS)('%s: a text is itself in every encoding', (_, areSame) => {
	fc.assert(
		fc.property(text, spelling, spelling, (each, one, other) => {
			expect([each, areSame(one(each), other(each))]).toEqual([each, true]);
		}),
		{ numRuns: 200 },
	);
});

test('countries and yes or no are read in every encoding', () => {
	const words = fc.constantFrom('Österreich', 'Curaçao', 'México', '日本', 'Türkiye');
	fc.assert(
		fc.property(words, fc.constantFrom('sí', 'não'), spelling, (country, word, written) => {
			expect(readCountry(written(country))).toBe(readCountry(country));
			expect(readYesNo('Opt In', written(word))).toBe(word === 'sí');
		}),
	);
});

test('a sync changes nothing where only the spelling differs', async () => {
	await fc.assert(
		fc.asyncProperty(text, spelling, spelling, async (each, inCrm, inSheet) => {
			sandbox.reset();
			const stored = inCrm(each);
			addContact(sandbox, {
				phone,
				name: stored,
				tags: [stored],
				attributes: { [stored]: stored },
			});
			const written = inSheet(each);
			const row: IDataObject = {
				phone,
				name: written,
				tags: [written],
				[`attributes.${written}`]: written,
			};
			const { json, error } = await runSync(sandbox, [row], automatic({ tagMode: 'match' }));
			expect([error, actionsOf(json), writes(sandbox)]).toEqual([undefined, ['unchanged'], []]);
		}),
		{ numRuns: 40 },
	);
});

test.each([
	['Café', 'Cafe\u0301'],
	['vip', 'vip\u200b'],
	['new', ' new'],
	['e\u2011mail', 'e-mail'],
	['e-mail', 'e\u2010mail'],
])('Match keeps the tag %s, written otherwise, and adds no look-alike', async (stored, written) => {
	addContact(sandbox, { phone, tags: [stored] });
	await runSync(sandbox, [{ phone, tags: [written] }], automatic({ tagMode: 'match' }));
	expect(writes(sandbox)).toEqual([]);
});

test('a column in the other encoding is the attribute that the contact has', async () => {
	addContact(sandbox, { phone, attributes: { Größe: 'M' } });
	const options = { otherColumns: 'attributes' };
	await runSync(sandbox, [{ phone, ['Größe'.normalize('NFD')]: 'L' }], automatic(options));
	expect(writes(sandbox).map(({ body }) => body)).toEqual([{ attributes: { Größe: 'L' } }]);
});

test('a cell "null" of an export is nothing, also in a list and in an object', async () => {
	addContact(sandbox, { phone, tags: ['vip'], attributes: { city: 'Bonn' } });
	const row = { phone, tags: ['null'], attributes: { city: 'null', size: {} } };
	await runSync(sandbox, [row], automatic({ tagMode: 'match' }));
	expect(writes(sandbox)).toEqual([]);
});

test('an invisible style character makes no other tag', async () => {
	addContact(sandbox, { phone, tags: ['vip', '❤️'] });
	await runSync(sandbox, [{ phone, tags: ['vip\ufe0f', '❤️'] }], automatic({ tagMode: 'match' }));
	expect(writes(sandbox)).toEqual([]);
});
