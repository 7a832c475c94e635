import * as fc from 'fast-check';

import { readDelivery, type Delivery } from '../../nodes/WorkspaceCrm/crm/records';
import { withEmptied } from '../../nodes/WorkspaceCrm/resources/contact/contactFields';
import { readCountry } from '../../nodes/WorkspaceCrm/domain/defaultCountry';
import { hasPhrase } from '../../nodes/WorkspaceCrm/domain/sameText';
import { readYesNo } from '../../nodes/WorkspaceCrm/domain/typedValues';
import { filterAgainst } from '../../nodes/WorkspaceCrm/events/filters';
import { spelling, testComparisons, type Comparison } from './spellings';

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
const COMPARISONS: Comparison[] = [
	['Message Contains Words', (phrase, message) => hasPhrase(message, phrase)],
	['the filter by tag', (chosen, tag) => passes('knownTags', chosen, 'tag.added', { tag })],
	['the filter by form', (id, flow_id) => passes('flowIds', id, 'form.submitted', { flow_id })],
	[
		'the filter by message type',
		(chosen, type) => passes('messageTypes', chosen, 'message.received', { message: { type } }),
	],
	['Fields to Empty', isEmptiedAndGiven],
];

testComparisons(...COMPARISONS);

test('countries and yes or no are read in every encoding', () => {
	const words = fc.constantFrom('Österreich', 'Curaçao', 'México', '日本', 'Türkiye');
	fc.assert(
		fc.property(words, fc.constantFrom('sí', 'não'), spelling, (country, word, written) => {
			expect(readCountry(written(country))).toBe(readCountry(country));
			expect(readYesNo('Opt In', written(word))).toBe(word === 'sí');
		}),
	);
});
