import type { Changes } from '../../../../../nodes/WorkspaceCrm/resources/contact/sync/changes';
import {
	nextStep,
	type Knowledge,
	type Step,
} from '../../../../../nodes/WorkspaceCrm/resources/contact/sync/nextStep';

/** In which order the requests for a contact are sent, and what each sends. */
const certain: Knowledge = { needsOptOuts: false, isCertain: true, isFresh: false, isShown: true };
const known = { record: { id: 'a', tags: [] } };

const changesOf = (names: readonly string[]): Changes =>
	new Map(names.map((name) => [name, { from: null, to: name === 'opt_in' ? true : name }]));

type Told = [Step['kind'], ...string[]];

/** All steps, as if each worked: a look shows the contact, and the list of opt-outs is read. */
function stepsOf(
	names: readonly string[],
	{ isKnown = true, knowledge = {} }: { isKnown?: boolean; knowledge?: Partial<Knowledge> } = {},
): Told[] {
	const changes = changesOf(names);
	const done = new Map<string, { from: unknown; to: unknown }>();
	const planned = new Set(names);
	const told: Told[] = [];
	let current = isKnown ? known : undefined;
	let now = { ...certain, ...knowledge };
	for (;;) {
		const left: Changes = new Map([...changes].filter(([name]) => !done.has(name)));
		const step = nextStep({ current, changes: left }, { done, planned }, now);
		if (!step || told.length > 20) return told;
		told.push([step.kind, ...step.changes.keys()]);
		for (const [name, change] of step.changes) done.set(name, change);
		if (step.kind === 'readOptOuts') now = { ...now, needsOptOuts: false };
		else {
			now = { ...now, isFresh: step.kind !== 'removeTag' };
			current ??= known;
		}
	}
}

const all = ['name', 'attributes.city', 'locale', 'tags +a', 'tags +b', 'tags -old'];
const consent = ['opt_in', 'consent_proof'];

describe('a contact that is known', () => {
	test.each<[string, string[], Told[]]>([
		['nothing differs', [], []],
		['a field', ['name'], [['change', 'name']]],
		['a tag to remove', ['tags -old'], [['removeTag', 'tags -old']]],
		[
			'all fields and its consent: tags, fields, consent, and then the tags to remove',
			[...all, ...consent],
			[
				['addTag', 'tags +a'],
				['addTag', 'tags +b'],
				['change', 'name', 'attributes.city', 'locale'],
				['save', 'opt_in', 'consent_proof'],
				['removeTag', 'tags -old'],
			],
		],
		['its consent alone', consent, [['look'], ['save', ...consent]]],
		[
			'a proof with other changes: one request for both, but for the locale',
			['name', 'locale', 'tags +a', 'tags -old', 'consent_proof'],
			[
				['look'],
				['save', 'name', 'tags +a', 'consent_proof'],
				['change', 'locale'],
				['removeTag', 'tags -old'],
			],
		],
	])('%s', (_case, names, told) => {
		expect(stepsOf(names)).toEqual(told);
	});

	test('is looked at after the list of opt-outs was read, so that the look is the newest', () => {
		expect(stepsOf(consent, { knowledge: { needsOptOuts: true } })).toEqual([
			['readOptOuts'],
			['look'],
			['save', ...consent],
		]);
	});

	test('needs no list of opt-outs without consent', () => {
		expect(stepsOf(['name'], { knowledge: { needsOptOuts: true } })).toEqual([['change', 'name']]);
	});

	test('is looked at if no answer shows it after its tags', () => {
		const step = nextStep(
			{ current: known, changes: changesOf([]) },
			{ done: changesOf(['tags +a']), planned: new Set(['tags +a']) },
			{ ...certain, isShown: false },
		);
		expect(step?.kind).toBe('look');
	});

	test.each<[string, Partial<Knowledge>, Step['kind']]>([
		['seen just now', { isFresh: true }, 'save'],
		['seen too long ago', { isFresh: false }, 'look'],
	])('gets its consent only if it was %s', (_case, knowledge, kind) => {
		const plan = { current: known, changes: changesOf(consent) };
		const progress = { done: changesOf([]), planned: new Set(consent) };
		expect(nextStep(plan, progress, { ...certain, ...knowledge })?.kind).toBe(kind);
	});

	test('gets nothing twice, and nothing that was not wanted at first', () => {
		const plan = { current: known, changes: changesOf([...all, ...consent]) };
		const progress = {
			done: changesOf(['name', 'tags +a', 'opt_in', 'consent_proof']),
			planned: new Set(['name', 'tags +a', 'opt_in', 'consent_proof', 'locale']),
		};
		expect(nextStep(plan, progress, certain)).toEqual({
			kind: 'change',
			changes: changesOf(['locale']),
		});
	});

	test('keeps its tags if it still lacks one that was added: it may have it under another name', () => {
		const plan = { current: known, changes: changesOf(['tags +VIP', 'tags -vip']) };
		const planned = new Set(['tags +VIP', 'tags -vip']);
		const done = changesOf(['tags +VIP']);
		expect(nextStep(plan, { done, planned }, certain)).toBeUndefined();
		const removable = { ...plan, changes: changesOf(['tags -vip']) };
		expect(nextStep(removable, { done, planned }, certain)?.kind).toBe('removeTag');
	});
});

describe('a contact that is not known', () => {
	const names = [...all, ...consent];
	const sent = ['name', 'attributes.city', 'tags +a', 'tags +b'];
	const rest: Told[] = [
		['change', 'locale'],
		['removeTag', 'tags -old'],
	];

	test('gets all in one request, and its locale in another', () => {
		expect(stepsOf(names, { isKnown: false })).toEqual([['save', ...sent, ...consent], ...rest]);
	});

	test('is saved even if nothing is given but its number', () => {
		expect(stepsOf([], { isKnown: false })).toEqual([['save']]);
	});

	test('is opted in only after the list of opt-outs was read', () => {
		const knowledge = { needsOptOuts: true };
		const [first, second] = stepsOf(names, { isKnown: false, knowledge });
		expect([first, second]).toEqual([['readOptOuts'], ['save', ...sent, ...consent]]);
		expect(stepsOf(['name', 'consent_proof'], { isKnown: false, knowledge })).toEqual([
			['save', 'name', 'consent_proof'],
		]);
	});

	test('gets its consent once an answer has shown it, if its number may be another one', () => {
		const knowledge = { isCertain: false };
		expect(stepsOf(names, { isKnown: false, knowledge })).toEqual([
			['save', ...sent],
			['change', 'locale'],
			['save', ...consent],
			['removeTag', 'tags -old'],
		]);
	});

	test('gets a proof alone at once, as that opts in nobody', () => {
		const knowledge = { isCertain: false };
		expect(stepsOf(['name', 'consent_proof'], { isKnown: false, knowledge })).toEqual([
			['save', 'name', 'consent_proof'],
		]);
	});
});
