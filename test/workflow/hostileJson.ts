import type { INodeParameters } from 'n8n-workflow';

import { contactItem, usesFor } from '../operationCases';
import { runNode } from '../../tools/engine/runNode';
import { addContact, contactId, useSandbox } from './support';

export const sandbox = useSandbox();
const uses = usesFor(contactItem({ id: contactId, phone: '+4915123456789' }, 0));
export const rows = (value: string) => ({ values: [{ name: 'plan', value }] });

/** Where the value of an expression goes into a request: the use, its field, and its parameters. */
export type Place = [use: string, label: string, set: (value: string) => object];

export const parametersOf = ([use, , set]: Place, value: string) =>
	({ ...uses[use], ...set(value) }) as INodeParameters;

const values: Array<[string, string, RegExp]> = [
	[
		'contains itself',
		'={{ (Object.assign($json.cycle, { self: $json.cycle })) }}',
		/contains itself|Maximum call stack/,
	],
	['is nested very deeply', '={{ ($json.deep) }}', /too many levels|Maximum call stack/],
	['is a function', '={{ ($json.text.trim) }}', /function/],
	['is no finite number', '={{ (1 / 0) }}', /an infinite number/],
];

/** Tests the first of the values in each place; with `isWhole`, all of them in the first place. */
export function testPlaces(places: Place[], isWhole = false): void {
	const cases = places.flatMap((place, index) =>
		(isWhole && index === 0 ? values : values.slice(0, 1)).map(
			([what, value, why]) => [place[0], place[1], what, parametersOf(place, value), why] as const,
		),
	);

	test.each(cases)(
		'%s: %s refuses a value that %s',
		async (_use, label, _what, parameters, why) => {
			addContact(sandbox, { id: contactId, phone: '+12125550123' });
			let deep: object = {};
			for (let level = 0; level < 5_000; level += 1) deep = { deep };
			const { error } = await runNode(sandbox, {
				parameters,
				items: [{ text: 'x', cycle: {}, deep: deep as never }],
			});
			const text = `${error?.message} ${error?.description}`;
			// n8n has errors of its own for functions, and for what is nested too deeply.
			const isTold = /this is a function, please add \(\)|Maximum call stack size/.test(text);
			expect(isTold || text.includes(`'${label}'`) || text.includes(`'${label}: plan'`)).toBe(true);
			expect(text).toMatch(why);
			expect(sandbox.requests).toEqual([]);
		},
	);
}
