import { Workflow, type IDataObject, type INodeParameters } from 'n8n-workflow';

import { operationCases } from '../operationCases';
import { operations } from '../support/operations';
import { crmNode, nodeTypes } from '../../tools/engine/nodes';
import type { Calls } from '../../tools/engine/agent';
import { contact, leaves, uses, type Leaf } from './leaves';
import { contactParameters } from './parameters';
import { fromModel, runAgent, toolNode } from './runAgent';
import { detailsOf, runNode, type NodeRun } from '../../tools/engine/runNode';
import { addContact, addContacts, chosen, contactId, sent, sentLines, useSandbox } from './support';

/** An expression that evaluates to nothing must never make the node do more than intended. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });

beforeEach(() => furnish());

function furnish(): void {
	sandbox.reset();
	addContact(sandbox, { id: contactId, name: 'Nathan', tags: ['vip'] });
	addContacts(sandbox, 3);
}

let runs = 0;

/** Runs the node so that failed items leave the others alone. */
async function run(parameters: INodeParameters, items: IDataObject[], more: Partial<NodeRun> = {}) {
	runs += 1;
	const onError = 'continueErrorOutput';
	return await runNode(sandbox, {
		onError,
		executionId: `empty-${runs}`,
		...more,
		parameters,
		items,
	});
}

/** What an expression evaluates to if it finds nothing, alone or as part of a text. */
const nothings = [undefined, null, '', ' \n', NaN, [], [null, ''], 'undefined', 'null'];
const joined = ['NaN', '[object Object]', ' , ', 'undefined, undefined'];

const usable: Record<string, unknown> = {
	approvalWords: 'yes',
	automationId: 'aut_win_back',
	bodyMode: 'merge',
	campaignKey: 'spring',
	contactId,
	createdAfter: '2020-01-01',
	defaultCountry: 'DE',
	dryRun: true,
	events: ['tag.added'],
	includeSecret: false,
	knownTags: ['vip'],
	lastMessageBefore: '2030-01-01',
	lastMessageAfter: '2020-01-01',
	limit: 2,
	limitType: 'afterTimeInterval',
	maxDateAndTime: new Date(Date.now() + 86_400_000).toISOString(),
	missing: 'output',
	missingAtMost: 100,
	normalizePhone: true,
	onConflict: 'skip',
	onlyConfirmed: false,
	onlyUpdate: true,
	optInOptedOut: true,
	optInStatus: 'none',
	otherColumns: 'attributes',
	output: 'endpoints',
	phone: '+4915123456780',
	resumeAmount: 2,
	resumeUnit: 'hours',
	returnAll: true,
	search: 'Nathan',
	segmentId: 'seg_vip',
	sendBlankVariables: true,
	sendOnceKey: 'order-1',
	simplify: false,
	stopAfterFailures: 5,
	maxContacts: 50,
	stopAfterMessages: 50,
	stopAtFirstProblem: true,
	subscriptionId: 'sub_1',
	tag: 'vip',
	tagMode: 'match',
	tagPrefix: 'import:',
	tags: 'vip',
	template: 'welcome',
	waitFor: 'form.submitted',
	url: 'https://example.com/events',
};

const guards = leaves.filter(({ isLeftOut }) => !isLeftOut);
const leftOut = leaves.filter(({ isLeftOut }) => isLeftOut);

test('covers every operation', () => {
	expect(guards.length).toBeGreaterThan(45);
	for (const { field } of guards) expect(Object.keys(usable)).toContain(field.name);
});

test.each(
	guards
		.filter(({ field }) => field.across !== 'first')
		.map((guard) => [guard.name, guard] as const),
)(
	'%s: an expression that evaluates to nothing fails its item, and no other',
	async (_name, { field, use, parameters }) => {
		// A switch or a number takes no text at all, and says so.
		const takesText = !['boolean', 'number', 'options'].includes(field.type);
		const values = [...nothings, ...(takesText ? joined : [])];
		const toItem = (v: unknown) => ({ phone: '+4915123456781', id: contactId, v }) as IDataObject;
		const good = toItem(usable[field.name]);

		const control = await run(parameters('={{ $json.v }}'), [good]);
		expect(control.failed).toEqual([]);
		const expected = sentLines(sandbox);
		expect(expected.length).toBeGreaterThan(0);

		furnish();
		if (operationCases[use].waits) {
			// It takes one item at a time.
			for (const value of values) {
				const { failed } = await run(parameters('={{ $json.v }}'), [toItem(value)]);
				const problem = `'${field.displayName}' is empty: its expression has no value for this item`;
				expect(failed.map(({ error }) => error)).toEqual([problem]);
			}
			expect(sentLines(sandbox)).toEqual([]);
			return;
		}
		const { json, failed } = await run(parameters('={{ $json.v }}'), [...values.map(toItem), good]);
		expect(failed.map(({ error }) => error)).toEqual(
			values.map(
				(_, item) =>
					`'${field.displayName}' is empty: its expression has no value for this item [item ${item + 1}, +4915123456781]`,
			),
		);
		for (const json of failed) expect(detailsOf(json).description).toMatch(/\.$/);
		expect(json).toHaveLength(control.json.length);
		expect(sentLines(sandbox)).toEqual(expected);
	},
);

test.each(
	guards
		.filter(({ field }) => field.across === 'first')
		.map((guard) => [guard.name, guard] as const),
)(
	'%s: an expression that evaluates to nothing for the first item fails the whole run, before any request',
	async (_name, { field, parameters }) => {
		for (const v of nothings) {
			const items = [
				{ phone: '+4915123456781', id: contactId, v },
				{ phone: '+4915123456782', id: contactId, v: usable[field.name] },
			];
			const { json, failed } = await run(parameters('={{ $json.v }}'), items as IDataObject[]);
			expect(json).toEqual([]);
			expect(failed).toHaveLength(2);
			for (const { error, errorDetails } of failed) {
				expect(error).toMatch(
					`'${field.displayName}' is empty: its expression has no value for this item`,
				);
				expect(errorDetails).toMatchObject({ description: expect.stringMatching('first item') });
			}
			expect(sandbox.requests).toEqual([]);
		}
	},
);

describe('a value that may be nothing', () => {
	/** In an item of its own: all that people and programs write for nothing. */
	const spellings = [
		...nothings,
		...joined,
		...['\u00a0', '\u200b', '\u3164', '\ufeff', '\t\r\n', [' '], [null, undefined]],
		...['undefined undefined', 'undefined-undefined', '(null)', 'NaN, NaN'],
	];
	const itemOf = (v: unknown) => ({ ...contact, v }) as IDataObject;

	test.each(leftOut.map((leaf) => [leaf.name, leaf] as const))(
		'%s: is left out, in any spelling',
		async (_name, { use, parameters }) => {
			const isAlone = operationCases[use].waits === true;
			const nothing = isAlone ? spellings.slice(0, 3) : spellings;
			const requestsOf = async (value: string | undefined) => {
				furnish();
				const before = storedContacts();
				const runs = isAlone ? nothing.map((v) => [v]) : [nothing];
				for (const values of runs) await run(parameters(value), values.map(itemOf));
				return { sent: bodiesOf(), before, after: storedContacts() };
			};
			const withLeaf = await requestsOf('={{ $json.v }}');
			const without = await requestsOf(undefined);
			expect(withLeaf).toEqual(without);
		},
	);

	/** The requests, without what differs from run to run. */
	const bodiesOf = () => {
		const ofRun =
			/sent:spring:\w+|empty-\d+|signature=\w+|crm_until=\d+|[\w-]{36}|\d{4}-\d\d-\d\dT[\d:.]+Z/g;
		const all = sent(sandbox).map((each) => JSON.stringify(each));
		return all.map((each) => each.replaceAll(contactId, 'Nathan').replace(ofRun, '')).sort();
	};
	const storedContacts = () =>
		[...sandbox.store.contacts.values()].map(({ name, locale, source, tags, opt_in_status }) => {
			return { name, locale, source, tags, opt_in_status };
		});
});

describe('a text with what an expression without a value left behind', () => {
	const takesText = ({ field: { type, accepts, across } }: Leaf) =>
		!['boolean', 'number', 'options', 'json'].includes(type) &&
		accepts !== 'yesNo' &&
		across !== 'first';
	const isAlone = ({ use }: Leaf) => operationCases[use].waits === true;

	test.each(leaves.filter(takesText).map((leaf) => [leaf.name, leaf] as const))(
		'%s: fails its item before any request',
		async (_name, leaf) => {
			const lost: unknown[] = [undefined, null, NaN, { x: 1 }];
			const groups = isAlone(leaf) ? lost.map((v) => [v]) : [lost];
			for (const group of groups) {
				sandbox.requests.length = 0;
				const { failed } = await run(
					leaf.parameters('={{ "Hi " + $json.v }}'),
					group.map((v) => ({ ...contact, v })) as IDataObject[],
				);
				expect(failed).toHaveLength(group.length);
				for (const [index, json] of failed.entries()) {
					const { error } = json;
					const { description } = detailsOf(json);
					const word = String(group[index]);
					expect(error).toContain(
						`would be "Hi ${word}", because {{ "Hi " + $json.v }} writes '${word}' into it`,
					);
					expect(error).toMatch(/^'[^']+' would/);
					expect(description).toContain("such as {{ $json.first || '' }}");
				}
				expect(sentLines(sandbox)).toEqual([]);
			}
		},
	);

	const upsertName = (name: string) =>
		({
			...uses['contact upsert'],
			additionalFields: { name },
		}) as INodeParameters;

	test.each([
		['in the saved text', '=null and {{ $json.v ?? "nothing" }}', {}],
		['in a text of the item', '={{ $json.text }}', { text: 'undefined behaviour' }],
		['in a text deep in the item', '={{ $json.a.b[0] }}', { a: { b: ['null risk'] } }],
		['typed, without an expression', 'undefined', {}],
		['a part of another word', '={{ "Annull" + "nullify" }}', {}],
	])('is not refused if the word stands %s', async (_case, name, item) => {
		const { failed } = await run(upsertName(name), [item as IDataObject]);
		expect(failed).toEqual([]);
		expect(sent(sandbox)).toHaveLength(1);
	});

	test('is refused at any depth of a JSON field, where null is no leftover', async () => {
		const json = (attributesJson: string) =>
			({ ...uses['contact upsert'], additionalFields: { attributesJson } }) as INodeParameters;
		const good = await run(json('={{ JSON.stringify({ plan: null, city: "" }) }}'), [{}]);
		expect([good.failed, sent(sandbox)[0].body]).toEqual([
			[],
			{ phone: expect.any(String), attributes: { plan: null, city: '' } },
		]);
		sandbox.requests.length = 0;
		const { failed } = await run(json('={{ { a: [{ b: "Hi " + $json.v }] } }}'), [{}]);
		expect(failed[0].error).toMatch(/^'Attributes \(JSON\)' would be /);
		expect(sentLines(sandbox)).toEqual([]);
	});
});

test.each([{}, { first: '' }, { first: null }, { first: 'Anna' }])(
	'the advice for a blank part of a message works when it is pasted: %j',
	async (item) => {
		const use = 'message sendTemplate';
		const withName = (name: string) =>
			({
				...uses[use],
				options: { variables: { values: [{ name: 'name', value: name }] } },
			}) as INodeParameters;
		const failed = await run(withName('=Hi {{ $json.first }}'), [contact]);
		const advice = [...String(detailsOf(failed.failed[0]).description).matchAll(/\{\{ .*? \}\}/g)];
		expect(advice.length).toBeGreaterThan(1);
		for (const [code] of advice) {
			sandbox.requests.length = 0;
			const { failed: refused } = await run(withName(`=Hi ${code}`), [{ ...contact, ...item }]);
			expect([code, refused]).toEqual([code, []]);
			const text = JSON.stringify(sent(sandbox).at(-1)?.body);
			if ('first' in item && item.first === 'Anna') expect(text).toContain('Hi Anna');
			else expect(text).toMatch(/"Hi( there)?"/);
		}
	},
);

describe('an argument that the model of an agent leaves blank', () => {
	const forAgents = operations.filter((each) => each.forAgents).map(({ use }) => use);
	const told = leaves.filter(
		({ use, field }) =>
			forAgents.includes(use) && field.across !== 'first' && !operationCases[use].waits,
	);

	test.each(told.map((leaf) => [leaf.name, leaf] as const))(
		'%s: is an error if the field is required; otherwise it is left out',
		async (_name, { parameters, field }) => {
			const requestsOf = async (value?: string, Value = '') => {
				furnish();
				const calls: Calls = { by: 'engine', values: [{ ...contact, Value }] };
				const answer = await runAgent(sandbox, [toolNode(parameters(value))], calls);
				return { answer: JSON.stringify(answer), sent: sent(sandbox) };
			};
			const without = await requestsOf();
			for (const Value of ['', 'null']) {
				const blank = await requestsOf(fromModel('Value'), Value);
				expect(blank.sent).toEqual(field.required ? [] : without.sent);
				if (field.required) expect(blank.answer).toContain(`'${field.displayName}' is empty`);
			}
		},
	);
});

test('the error says what to do and what could have happened', async () => {
	const parameters = {
		resource: 'contact',
		operation: 'getAll',
		filters: { search: '={{ $json.q }}' },
	};
	const { error } = await run(parameters, [{}], { onError: 'stopWorkflow' });
	expect(error).toMatchObject({
		message: "'Search' is empty: its expression has no value for this item",
		description:
			"Without it, the node could do more than you want. Check that what the expression reads exists and has a value. If you do not need 'Search', clear or remove it.",
	});
	expect(sandbox.requests).toEqual([]);
});

test('a very long blank value counts as empty', async () => {
	const search = '={{ $json.c.repeat(5000000) }}';
	const parameters = { resource: 'contact', operation: 'getAll', filters: { search } };
	const { failed } = await run(parameters, [{ c: ' ' }]);
	expect(failed[0].error).toBe("'Search' is empty: its expression has no value for this item");
});

test('n8n reads an expression for a whole collection as an empty one', () => {
	const nodes = [crmNode({ resource: 'contact', operation: 'delete', options: '={{ $json.o }}' })];
	const workflow = new Workflow({ nodes, connections: {}, active: false, nodeTypes: nodeTypes() });
	expect(workflow.nodes.CRM.parameters.options).toEqual({});
});

const withDryRun = leaves.filter(({ field }) => field.name === 'dryRun').map(({ use }) => use);

// A switch that was saved without a value must not make a real run.
test.each(withDryRun.flatMap((use) => ['', null].map((dryRun) => [use, dryRun])))(
	'%s is refused with a dry run saved as %j',
	async (use, dryRun) => {
		const parameters = { ...uses[String(use)], options: { dryRun } } as INodeParameters;
		const { failed } = await run(parameters, [{ phone: '+4915123456781', id: contactId }]);
		expect(failed).toMatchObject([{ error: expect.stringMatching(/^'Dry Run' is/) }]);
		expect(sandbox.requests).toEqual([]);
	},
);

test.each(['resource', 'operation'])('the %s cannot be an expression', async (name) => {
	const parameters = contactParameters('delete', chosen('id', contactId));
	const byExpression = { ...parameters, [name]: `={{ "${parameters[name as 'resource']}" }}` };
	const { json, failed } = await run(byExpression, [{}, {}]);
	expect(json).toEqual([]);
	expect(failed).toHaveLength(2);
	for (const { error } of failed) expect(error).toContain('has no operation');
	const { error } = await run(byExpression, [{}, {}], { onError: 'stopWorkflow' });
	expect(error?.message).toContain('has no operation');
	expect(sandbox.requests).toEqual([]);
});

test('values without expressions are the same for all items, and no item changes them', async () => {
	const { json } = await run(
		{
			...uses['contact upsert'],
			phone: '={{ $json.phone }}',
			additionalFields: { tags: 'a, b', attributes: { values: [{ name: 'x', value: 'y' }] } },
		} as INodeParameters,
		[{ phone: '+4915123456781' }, { phone: '+4915123456782' }],
	);
	for (const contact of json)
		expect(contact).toMatchObject({ tags: ['a', 'b'], attributes: { x: 'y' } });
});
