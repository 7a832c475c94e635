import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import { runNode } from '../../tools/engine/runNode';
import { marksOf } from './marks';
import { processInTime } from './shutDoor';
import { addContact, chosen, sentLines, useSandbox, variablesOf } from './support';

/** A message is checked against the template that the service has, whatever the editor has saved. */
export const sandbox = useSandbox({ limiter: { kind: 'off' } });
export const confirmed = { opt_in_status: 'confirmed' as const };
export const list = 'GET /v1/templates';
export const post = 'POST /v1/messages/template';
export const lines = () => sentLines(sandbox).map((line) => line.replace(/[0-9a-f-]{36}/, '*'));
export const messages = () => sandbox.store.sentMessages;

export const other = (values: Record<string, string>): INodeParameters => ({
	variables: { values: Object.entries(values).map(([name, value]) => ({ name, value })) },
});
export const addTemplate = (record: object) => sandbox.store.templates.push(record as never);

export const send = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'message',
	operation: 'sendTemplate',
	contactId: chosen('id', '={{ $json.id }}'),
	template: chosen('name', 'welcome'),
	...more,
});

/** A value, and whether people see nothing of it. */
const anyVariable = fc.oneof(
	{
		weight: 3,
		arbitrary: fc
			.constantFrom('Anna', '0', 'é', '😀', 'a b')
			.map((text) => ({ text, isBlank: false })),
	},
	{
		weight: 1,
		arbitrary: fc
			.string({
				unit: fc.constantFrom(
					' ',
					'\n',
					'\t',
					'\u00a0',
					'\u200b',
					'\u2060',
					'\u3164',
					'\u00ad',
					'\ufe0f',
					'\u{e0100}',
					'\u2800',
				),
			})
			.map((text) => ({ text, isBlank: true })),
	},
);
const NAMES = ['1', '2', 'first_name', 'größe'];
const scenario = fc.record({
	/** The variables of the service's template. */
	variables: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 3 }),
	isListed: fc.boolean(),
	/** What the editor has saved. */
	saved: fc.constantFrom('nothing' as const, 'stale' as const, 'complete' as const),
	mapped: fc.dictionary(fc.constantFrom(...NAMES), anyVariable),
	others: fc.dictionary(fc.constantFrom(...NAMES), anyVariable),
	sendsBlank: fc.boolean(),
});

/** @param base the operation, whose template, variables and options are replaced */
export function testBlankVariables(base: INodeParameters): void {
	test('nobody gets or is marked for a message with a blank variable', async () => {
		const check = async ({
			variables,
			isListed,
			saved,
			mapped,
			others,
			sendsBlank,
		}: typeof scenario extends fc.Arbitrary<infer S> ? S : never) => {
			sandbox.reset();
			const contact = addContact(sandbox, confirmed);
			const text = ['Dear customer,', ...variables.map((name) => `{{${name}}}`)].join(' ');
			addTemplate({ name: 'any', ...(isListed ? { variables } : { body: text }) });
			const shown: string[] = {
				nothing: [],
				stale: ['old', ...variables.slice(1)],
				complete: variables,
			}[saved];
			const texts = (given: typeof mapped) =>
				Object.fromEntries(Object.entries(given).map(([name, each]) => [name, each.text]));
			const { schema } = variablesOf(Object.fromEntries(shown.map((name) => [name, ''])));
			// The editor keeps values only for the fields that it shows.
			const own = Object.fromEntries(
				Object.entries(mapped).filter(([name]) => shown.includes(name)),
			);
			const templateVariables = { mappingMode: 'defineBelow', value: texts(own), schema };
			const options: INodeParameters = {
				...other(texts(others)),
				...(sendsBlank && { sendBlankVariables: true }),
			};
			const more = { template: chosen('name', 'any'), templateVariables };
			await runNode(sandbox, {
				parameters: { ...base, options, ...more },
				items: [{ id: contact.id, phone: contact.phone }],
				onError: 'continueErrorOutput',
				runtime: processInTime(),
			});

			const isFilled = (name: string) =>
				[own, others].some((given) => Object.hasOwn(given, name) && !given[name].isBlank);
			const isComplete = variables.every(isFilled);
			const count = messages().length;
			if (!sendsBlank && !isComplete) {
				expect([count, marksOf(sandbox, contact)]).toEqual([0, []]);
			}
			if (sendsBlank || isComplete) expect(count).toBe(1);
			expect(lines().filter((line) => line === list)).toHaveLength(sendsBlank ? 0 : 1);
		};
		await fc.assert(fc.asyncProperty(scenario, check), { numRuns: 40 });
	}, 60_000);
}
