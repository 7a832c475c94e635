import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { Contact, RecordedRequest } from '../../../../tools/sandbox';
import { process } from '../../../../tools/support/platform';
import { addContacts, useSandbox, writes } from '../../support';
import { automatic, runSync } from './syncNode';

/**
 * The law of Sync: a dry run says what the run does, and the next dry run says that nothing is left to do. Whatever
 * somebody changes between them or meanwhile concerns only the contact that was changed, and the law holds again
 * afterwards. Who was erased while a run knew them is not created again by it.
 */
const sandbox = useSandbox({ limiter: { kind: 'off' } });

/**
 * The last ones have two forms, which the CRM may hold as two contacts. It accepts both: that it refuses the number
 * of a contact that it holds is what no dry run can foresee.
 */
const PHONES = [
	...Array.from({ length: 5 }, (_, index) => `+1212456${7_890 + index}`),
	'+5491123456789',
	'+5493514567890',
];
const TWINS = new Map([
	['+5491123456789', '+541123456789'],
	['+5493514567890', '+543514567890'],
]);
const people = PHONES.map((_, index) => index);

const text = fc.constantFrom('a', 'b', 'Ä b', 'A');
const tag = fc.constantFrom('vip', 'VIP', 'new', 'x: 1', 'x: 2', 'a, b');
const attributes = fc.dictionary(
	fc.constantFrom('plan', 'seats', 'constructor'),
	fc.constantFrom<unknown>('x', 1, false, [1, 2], { city: 'Köln' }),
	{ maxKeys: 3, noNullPrototype: true },
);
const status = fc.constantFrom<Contact['opt_in_status']>(
	'none',
	'pending',
	'confirmed',
	'opted_out',
);

const stored = fc.record({
	person: fc.constantFrom(...people),
	hasPlus: fc.boolean(),
	hasTwin: fc.constantFrom(false, false, false, true),
	fields: fc.record({
		name: fc.option(text),
		locale: fc.option(text),
		source: fc.option(text),
		attributes,
		tags: fc.uniqueArray(tag),
		opt_in_status: status,
	}),
});

const CONSENTS: IDataObject[] = [
	{},
	{},
	{ opt_in: 'yes', consent_proof: 'Form' },
	{ opt_in: 'no' },
	{ consent_proof: 'Form' },
	{ opt_in: 'NEIN!' },
	{ 'Opt In': 'yes', 'opt-in': 'no' },
];
const blank = fc.constantFrom('', ' ', null);
const row = fc.record({
	person: fc.constantFrom(...people),
	isById: fc.constantFrom(false, false, true),
	consent: fc.constantFrom(...CONSENTS),
	fields: fc.record(
		{
			name: fc.oneof(text, blank),
			locale: fc.oneof(text, blank),
			source: fc.oneof(text, blank),
			attributes: fc.oneof(attributes, blank),
			tags: fc.oneof(fc.array(tag), blank),
		},
		{ requiredKeys: [] },
	),
});

const EVENTS = {
	renamed: (contact: Contact) => void (contact.name = 'Renamed'),
	erased: (contact: Contact) => sandbox.store.eraseContact(contact),
	optedOut: (contact: Contact) => void (contact.opt_in_status = 'opted_out'),
	doubled: ({ phone }: Contact) => {
		const twin = TWINS.get(phone);
		if (twin) sandbox.store.addContact({ phone: twin, created_at: '2026-01-02' });
	},
};

const worlds = fc.record({
	workspace: fc.uniqueArray(stored, { selector: ({ person }) => person }),
	rows: fc.array(row, { minLength: 1, maxLength: 10 }),
	/** Contacts that no row is about: none, more than a page, or so many that they are not all read. */
	others: fc.constantFrom<0 | 120 | 'huge'>(0, 0, 120, 'huge'),
	options: fc.record({
		tagMode: fc.constantFrom('add', 'match'),
		tagPrefix: fc.constantFrom('', 'x: '),
		optInOptedOut: fc.boolean(),
		missing: fc.constantFrom('ignore', 'output'),
	}),
	event: fc.option(
		fc.record({
			kind: fc.constantFrom<keyof typeof EVENTS>(
				'renamed',
				'erased',
				'erased',
				'optedOut',
				'doubled',
			),
			person: fc.constantFrom(...people),
			/** After which request of the run; before the run if undefined. */
			request: fc.option(fc.nat(12), { nil: undefined }),
		}),
		{ freq: 3, nil: undefined },
	),
});
type World = typeof worlds extends fc.Arbitrary<infer W> ? W : never;

interface Told {
	action: string;
	changes: unknown;
	fields?: unknown;
	error: string;
}

const DONE: Record<string, string> = {
	wouldCreate: 'created',
	wouldUpdate: 'updated',
	wouldSave: 'saved',
	wouldSendNo: 'noNotTaken',
};

/** What the output says of each row, in the words of a run. */
function toldOf(json: IDataObject[]): Told[] {
	return json.map(({ sync, error, name, locale, source, attributes: own, tags, phone }) => {
		const { action, changes } = sync as { action: string; changes?: IDataObject };
		const isDone =
			error === undefined && !['failed', 'consentWithheld', 'invalid'].includes(action);
		const fields = {
			name,
			locale,
			source,
			phone,
			own,
			tags: [...((tags ?? []) as string[])].sort(),
		};
		return {
			action: DONE[action] ?? action,
			changes: withSorted(asTaken(changes ?? {})),
			...(isDone && { fields: JSON.parse(JSON.stringify(fields, dropNull)) as unknown }),
			error: String(error ?? ''),
		};
	});
}

const dropNull = (_name: string, value: unknown) => value ?? undefined;

/** The sandbox confirms a Yes, and leaves the status as it is after a No. */
function asTaken({ opt_in, ...changes }: IDataObject): IDataObject {
	if (!opt_in) return changes;
	const { from, to } = opt_in as { from: string | null; to: string };
	const taken = { Yes: 'confirmed', No: from ?? 'none' }[to] ?? to;
	return taken === from ? changes : { ...changes, opt_in: { from, to: taken } };
}

/** The order of tags is no matter. */
function withSorted(changes: IDataObject): unknown {
	const sorted = JSON.stringify(changes, (name, value: unknown) =>
		['added', 'removed'].includes(name) && Array.isArray(value) ? [...value].sort() : value,
	);
	return JSON.parse(sorted) as unknown;
}

const digitsOf = (phone: string) => phone.replace(/\D/g, '');
const contactOf = (person: number) => sandbox.store.findByPhone(digitsOf(PHONES[person]));

function fill({ workspace, others }: World) {
	for (const [index, { person, hasPlus, hasTwin, fields }] of workspace.entries()) {
		const phone = PHONES[person];
		const created_at = `2026-01-01T00:00:${String(index).padStart(2, '0')}Z`;
		const contact = {
			...structuredClone(fields),
			phone: hasPlus ? phone : phone.slice(1),
			created_at,
		};
		sandbox.store.addContact(contact);
		const twin = TWINS.get(phone);
		if (hasTwin && twin) sandbox.store.addContact({ phone: twin, created_at });
	}
	if (others === 120) addContacts(sandbox, 120);
}

/** The items, and which person each is about. */
function itemsOf({ rows }: World): IDataObject[] {
	return rows.map(({ person, isById, consent, fields }) => {
		const id = isById ? contactOf(person)?.id : undefined;
		return { ...(id ? { id } : { phone: PHONES[person] }), ...fields, ...consent } as IDataObject;
	});
}

/** Answers as if there were too many contacts to read, and lets things happen after requests. */
function answerAs({ others }: World, onAnswer: (request: number) => void) {
	let count = 0;
	const rewrite = (payload: string, { method, path, query }: RecordedRequest) => {
		onAnswer(count);
		count += 1;
		const isList = method === 'GET' && path === '/v1/contacts';
		if (others !== 'huge' || !isList || query.search || query.opt_in_status) return payload;
		return JSON.stringify({ ...(JSON.parse(payload) as object), total: 20_000 });
	};
	sandbox.fail({ times: 100_000, kind: { rewrite } });
}

async function assertLaw(world: World): Promise<void> {
	sandbox.reset();
	fill(world);
	const { event, others } = world;
	const options: IDataObject = { ...world.options };
	if (others === 'huge') options.missing = 'ignore';
	const items = itemsOf(world);
	let hasHappened = false;
	let erased: string | undefined;
	const happen = (request?: number) => {
		const contact = event && contactOf(event.person);
		if (!contact || hasHappened || event.request !== request) return;
		hasHappened = true;
		EVENTS[event.kind](contact);
		if (event.kind === 'erased') erased = contact.id;
	};
	let isRun = false;
	answerAs(world, (request) => {
		if (isRun) happen(request - before);
	});
	let before = 0;
	const sync = async (dryRun: boolean) => {
		const onError = 'continueRegularOutput';
		sandbox.requests.length = 0;
		const { json, error } = await runSync(sandbox, items, automatic({ ...options, dryRun }), {
			onError,
		});
		expect(error).toBeUndefined();
		before += sandbox.requests.length;
		if (dryRun) expect(writes(sandbox)).toEqual([]);
		return toldOf(json);
	};
	const rowsOnly = (told: Told[]) => told.slice(0, items.length);

	const first = await sync(true);
	happen();
	isRun = true;
	const run = await sync(false);
	isRun = false;
	const concerned = (index: number) => hasHappened && world.rows[index].person === event?.person;
	const isOther = (_told: Told, index: number) => !concerned(index);
	expect(rowsOnly(run).filter(isOther).map(comparable)).toEqual(
		rowsOnly(first).filter(isOther).map(comparable),
	);
	assertNotCreatedAgain(world, run, erased);

	const second = await sync(true);
	if (!hasHappened) expect(second.filter(isOpen)).toEqual([]);
	const again = await sync(false);
	expect(rowsOnly(again).map(comparable)).toEqual(rowsOnly(second).map(comparable));
	const third = await sync(true);
	expect(third.filter(isOpen)).toEqual([]);
}

/** An error has no output but what was done before it. */
function comparable({ action, changes, fields }: Told): unknown {
	return ['failed', 'consentWithheld', 'invalid'].includes(action)
		? { action, changes }
		: { action, changes, fields };
}

/** Whether a dry run says that something is left to do, beside a No, which is sent on each run. */
function isOpen({ action }: Told): boolean {
	return ![
		'unchanged',
		'noNotTaken',
		'skipped',
		'missing',
		'invalid',
		'failed',
		'consentWithheld',
	].includes(action);
}

function assertNotCreatedAgain(world: World, run: Told[], erased: string | undefined) {
	const { event, rows } = world;
	if (erased === undefined || event?.request === undefined || !contactOf(event.person)) return;
	// Either the run did not know the contact yet, or it says that its request came at the same moment.
	const told = rows.flatMap(({ person }, index) => (person === event.person ? run[index] : []));
	expect(
		told.map(
			({ action, error }) => action === 'created' || /in the moment of its request/.test(error),
		),
	).toContain(true);
}

// WORLDS=300 tries more worlds.
test('a dry run says what the run does, and then that nothing is left to do', async () => {
	await fc.assert(fc.asyncProperty(worlds, assertLaw), {
		numRuns: Number(process.env.WORLDS ?? 60),
	});
}, 3_600_000);
