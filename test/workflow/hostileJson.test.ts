import { runNode } from '../../tools/engine/runNode';
import { parametersOf, rows, sandbox, testPlaces, type Place } from './hostileJson';

const inObject = (value: string) => value.replace(/\((.*)\)/s, '({ plan: $1 })');

/** All places in operations that are no feature of their own. */
const places: Place[] = [
	['contact upsert', 'Attributes', (value) => ({ additionalFields: { attributes: rows(value) } })],
	[
		'contact upsert',
		'Attributes (JSON)',
		(value) => ({ additionalFields: { attributesJson: inObject(value) } }),
	],
	['contact update', 'Attributes', (value) => ({ updateFields: { attributes: rows(value) } })],
	['message sendTemplate', 'Variables', (value) => ({ options: { variables: rows(value) } })],
	[
		'message sendTemplate',
		'Variables',
		(value) => ({ templateVariables: { mappingMode: 'defineBelow', value: { plan: value } } }),
	],
	['message sendTemplate', 'Body', (value) => ({ options: { body: inObject(value) } })],
];
testPlaces(places, true);

test('sends an integer of any size as text', async () => {
	await runNode(sandbox, {
		parameters: parametersOf(places[0], '={{ 12345678901234567890n }}'),
	});
	expect(sandbox.store.findByPhone('+12125000000')?.attributes).toEqual({
		plan: '12345678901234567890',
	});
});
