import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runNode } from '../../../../tools/engine/runNode';
import { useSandbox } from '../../support';
import { mapped } from './syncNode';

/** What the error of an Opt In advises is pasted into its field, as a person would. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const phone = '+4915123456789';

const fields: Record<string, (opt: string) => INodeParameters> = {
	'Create or Update': (optIn) => ({
		resource: 'contact',
		operation: 'upsert',
		phone,
		additionalFields: { optIn },
	}),
	Sync: (optIn) => mapped({ phone, opt_in: optIn }),
};

const codes = [
	'$json.answer',
	"$('Start').item.json.answer",
	// A comparison binds stronger than these.
	'$json.missing ?? $json.answer',
	'$json.answer || ""',
	'$json.answer ? $json.answer : ""',
];

/** A form's check boxes give lists. */
const answers = ['S', 2, ['S'], 'di"ta', 'a\\b', 'a}b'];

async function optInOf(parameters: INodeParameters, item: IDataObject) {
	sandbox.reset();
	const { error, json } = await runNode(sandbox, { parameters, items: [item] });
	const [body] = sandbox.requests
		.filter(({ method }) => method === 'POST')
		.map((each) => each.body);
	return { text: error?.description ?? '', json, optIn: (body as IDataObject | undefined)?.opt_in };
}

describe.each(Object.keys(fields))('%s', (field) => {
	const parametersOf = fields[field];

	test.each(codes)('each advice works, pasted in place of {{ %s }}', async (code) => {
		for (const answer of answers) {
			const { text, optIn } = await optInOf(parametersOf(`={{ ${code} }}`), { answer });
			expect(optIn).toBeUndefined();
			const advised = /use the expression ({{ .* }})\./.exec(text)?.[1] ?? '';
			const pasted = ['no', 'yes', ''].map((word) =>
				parametersOf(`=${advised.replace('"no"', JSON.stringify(word))}`),
			);
			const results: unknown[] = [];
			for (const parameters of pasted) results.push((await optInOf(parameters, { answer })).optIn);
			expect({ answer, advised, results }).toMatchObject({ results: [false, true, undefined] });
			// All others stay as they are.
			expect((await optInOf(pasted[1], { answer: 'no' })).optIn).toBe(false);
		}
	});

	test('a list of one answer is its answer', async () => {
		const parameters = parametersOf('={{ $json.answer }}');
		expect((await optInOf(parameters, { answer: ['Yes'] })).optIn).toBe(true);
		expect((await optInOf(parameters, { answer: ['no'] })).optIn).toBe(false);
		for (const answer of [['Yes', 'No'], [['Yes']], { yes: true }, 'a}}b']) {
			const { optIn, text } = await optInOf(parameters, { answer });
			expect([optIn, text]).toEqual([undefined, expect.stringMatching(/leave it empty\.$/)]);
		}
	});
});
