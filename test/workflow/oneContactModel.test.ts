import * as fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Contact, OptInStatus } from '../../tools/sandbox';
import { process } from '../../tools/support/platform';
import { campaign, runCampaign } from './message/campaign/campaignNode';
import { runNode } from '../../tools/engine/runNode';
import { automatic, runSync, syncsOf } from './contact/sync/syncNode';
import { addContacts, chosen, useSandbox, writes } from './support';

/**
 * Sync, Send Campaign and single operations in the same worlds: numbers with two forms, national numbers in the
 * CRM, duplicates, opt-outs during a run, services that keep a form of their own. A request is judged by the
 * subscriber that its contact was made for, not by the number.
 *
 * `WORLDS=300 npx jest oneContactModel` runs more worlds.
 */
const sandbox = useSandbox({ limiter: { kind: 'off' } });

interface Subscriber {
	/** How people write the number. */
	typed: string[];
	/** How the CRM may store it. The service knows whose number it is. */
	stored: string[];
	/** Whether every form that is typed finds every form that is stored. */
	isComparable: boolean;
}

const TWO_FORMS = [
	['+5511987654321', '+551187654321'],
	['+5215512345678', '+525512345678'],
	['+5491123456789', '+541123456789'],
	['+2290195123456', '+22995123456'],
	['+2250707123456', '+22507123456'],
];
const SUBSCRIBERS: Subscriber[] = TWO_FORMS.map((forms) => ({
	typed: forms,
	stored: [...forms, forms[0].slice(1)],
	isComparable: true,
}));
SUBSCRIBERS.push(
	{ typed: ['+4915123456001', '+49 151 23456001'], stored: ['015123456001'], isComparable: false },
	{ typed: ['+491512345678', '+4901512345678'], stored: ['+491512345678'], isComparable: false },
	...['+12124567890', '+436641234567', '+447400123456'].map((phone) => ({
		typed: [phone, `${phone.slice(0, 4)}-${phone.slice(4)}`],
		stored: [phone, phone.slice(1)],
		isComparable: true,
	})),
);
const places = SUBSCRIBERS.map((_, place) => place);

interface Row {
	subscriber: number;
	/** The index of a typed form, or of the contact that the row names by ID. */
	form: number;
	isById: boolean;
	fields: { name?: string; tags?: string; opt_in?: boolean; consent_proof?: string };
}

interface World {
	/** The contacts of each subscriber: most have one, some two or none. */
	contacts: Array<Array<{ form: number; state: OptInStatus; name: string }>>;
	/** Whether the service treats both forms of a number as one, and keeps its own form. */
	folds: boolean;
	/** How many others there are, and how many rows are about them or about new ones. */
	others: number;
	otherRows: number;
	rows: Row[];
	/** Who opts out during the run, and after which request. */
	optsOut: Array<{ subscriber: number; after: number }>;
	resubscribes: boolean;
}

const state = fc.constantFrom<OptInStatus>('none', 'pending', 'confirmed', 'opted_out');
const contactsOf = ({ stored }: Subscriber) =>
	fc.uniqueArray(
		fc.record({
			form: fc.nat(stored.length - 1),
			state,
			name: fc.constantFrom('Ana', 'Ben'),
		}),
		{ maxLength: 2, selector: ({ form }) => form },
	);
const rowOf = (subscriber: number): fc.Arbitrary<Row> =>
	fc.record({
		subscriber: fc.constant(subscriber),
		form: fc.nat(1),
		isById: fc.constantFrom(false, false, true),
		fields: fc.record(
			{
				name: fc.constantFrom('Ana', 'Ben', ''),
				tags: fc.constantFrom('vip', 'new'),
				opt_in: fc.constantFrom(true, true, false),
				consent_proof: fc.constant('Form'),
			},
			{ requiredKeys: [] },
		),
	});
/** Most subscribers have one row, some several. */
const rows = fc
	.subarray([...places, ...places], { minLength: 1, maxLength: 10 })
	.chain((chosenPlaces) => fc.tuple(...chosenPlaces.map(rowOf)));
const worlds: fc.Arbitrary<World> = fc.record({
	contacts: fc.tuple(...SUBSCRIBERS.map(contactsOf)),
	folds: fc.boolean(),
	others: fc.constantFrom(0, 0, 0, 0, 0, 40, 40, 40, 40, 250, 250, 1_200, 12_000),
	otherRows: fc.constantFrom(0, 0, 0, 0, 105, 290),
	rows,
	optsOut: fc.oneof(
		fc.constant<World['optsOut']>([]),
		fc.array(fc.record({ subscriber: fc.constantFrom(...places), after: fc.nat(6) }), {
			maxLength: 3,
		}),
	),
	resubscribes: fc.constantFrom(false, false, false, true),
});

/** A world as it is in the sandbox. */
interface Scene {
	world: World;
	items: IDataObject[];
	/** The subscriber of a contact, also of a new one. */
	ownerOf: (contact: Contact) => number;
	contactsOf: (subscriber: number) => Contact[];
	rowsOf: (subscriber: number) => Row[];
}

const digitsOf = (phone: string) => phone.replace(/\D/g, '');

function build(world: World): Scene {
	sandbox.reset();
	const { newNumbers } = sandbox.store.rules;
	addContacts(sandbox, world.others, { created_at: '2024-01-01T00:00:00Z' });
	const owners = new Map<string, number>();
	const made = SUBSCRIBERS.map(({ typed, stored }, place) => {
		for (const phone of [...typed, ...stored]) owners.set(digitsOf(phone), place);
		return world.contacts[place].map(({ form, state: opt_in_status, name }) =>
			sandbox.store.addContact({ phone: stored[form], opt_in_status, name, tags: ['.', 'old'] }),
		);
	});
	for (const [place, { typed, stored, isComparable }] of SUBSCRIBERS.entries()) {
		const own = made[place][0]?.phone ?? stored[0];
		const isOne = world.folds || !isComparable;
		for (const phone of [...typed, ...stored]) {
			const digits = `+${digitsOf(phone)}`;
			newNumbers.set(phone, isOne ? own : digits).set(digits, isOne ? own : digits);
		}
		// A request with the number as the CRM has it reaches that contact.
		for (const { phone } of made[place]) newNumbers.set(phone, phone);
	}
	const items = world.rows.map(({ subscriber, form, isById, fields }): IDataObject => {
		const contact = made[subscriber][form % Math.max(1, made[subscriber].length)];
		const phone = SUBSCRIBERS[subscriber].typed[form];
		return { ...(isById && contact ? { id: contact.id } : { phone }), ...fields };
	});
	const others = [...sandbox.store.contacts.values()].slice(0, world.others);
	for (let index = 0; index < world.otherRows; index += 1) {
		const { phone, name } = others[index] ?? { phone: `+1312555${1_000 + index}`, name: 'New' };
		items.push({ phone, name });
	}
	const ownerOf = ({ phone }: Contact) => owners.get(digitsOf(phone)) ?? -1;
	const all = () => [...sandbox.store.contacts.values()];
	return {
		world,
		items,
		ownerOf,
		contactsOf: (subscriber) => all().filter((contact) => ownerOf(contact) === subscriber),
		rowsOf: (subscriber) => world.rows.filter((row) => row.subscriber === subscriber),
	};
}

const consentOf = () =>
	new Map([...sandbox.store.contacts.values()].map((c) => [c, c.opt_in_status]));

/** Lets subscribers opt out while contacts are read. A sync may miss later opt-outs for ten seconds. */
function letOptOut({ world: { optsOut }, contactsOf: of }: Scene): Set<Contact> {
	const out = new Set<Contact>();
	for (const { subscriber, after } of optsOut) {
		const meanwhile = () => {
			const isListed = sandbox.requests.some(({ query }) => query.opt_in_status !== undefined);
			for (const contact of isListed ? [] : of(subscriber)) {
				contact.opt_in_status = 'opted_out';
				out.add(contact);
			}
		};
		sandbox.fail({ match: { method: 'GET' }, skip: after, kind: { meanwhile } });
	}
	return out;
}

/** What a run must never do, whatever the world. */
function expectHarmless(scene: Scene, before: Map<Contact, OptInStatus>, out: Set<Contact>) {
	const { world, contactsOf: of, rowsOf, ownerOf } = scene;
	for (const place of places) {
		const made = world.contacts[place].length;
		expect({ place, count: of(place).length }).toEqual({
			place,
			count: of(place).length <= Math.max(1, made) ? of(place).length : `at most ${made}`,
		});
	}
	for (const [contact, was] of before) {
		if (out.has(contact) && !world.resubscribes) expect(contact.opt_in_status).toBe('opted_out');
		if (contact.opt_in_status === was || out.has(contact)) continue;
		const asked = rowsOf(ownerOf(contact)).map(({ fields }) => fields.opt_in);
		expect(asked).toContain(true);
		// If the CRM has a number that cannot be compared, a sync cannot know that two rows mean one contact.
		if (SUBSCRIBERS[ownerOf(contact)].isComparable) expect(asked).not.toContain(false);
		if (!world.resubscribes) expect(was).not.toBe('opted_out');
	}
	for (const { contact_id, opt_in, consent_proof } of sandbox.store.consentTrail) {
		const contact = sandbox.store.contacts.get(contact_id) as Contact;
		const fields = rowsOf(ownerOf(contact)).map((row) => row.fields);
		if (opt_in !== null) expect(fields.map((each) => each.opt_in)).toContain(opt_in);
		if (consent_proof !== null) expect(fields.map((f) => f.consent_proof)).toContain('Form');
	}
}

/** What a run must do for a subscriber if its rows name that one without a doubt. */
function expectDone(scene: Scene, before: Map<Contact, OptInStatus>, out: Set<Contact>) {
	const { world, contactsOf: of, rowsOf } = scene;
	for (const place of places) {
		const asked = rowsOf(place);
		const optIns = new Set(asked.flatMap(({ fields }) => fields.opt_in ?? []));
		const isById = new Set(asked.map((row) => row.isById && world.contacts[place].length > 0));
		if (asked.length === 0 || optIns.size > 1 || isById.size > 1) continue;
		if (world.contacts[place].length > 1) continue;
		const [contact] = of(place);
		const name = asked.flatMap(({ fields }) => fields.name || []).at(-1);
		// If only the service knows that two numbers are one, their rows have no order.
		const isOne =
			SUBSCRIBERS[place].isComparable || new Set(asked.map(({ form }) => form)).size === 1;
		if (name && isOne) expect(contact.name).toBe(name);
		const was = before.get(contact);
		const mayOptIn = was !== 'opted_out' || world.resubscribes;
		const hasProof = asked.some(({ fields }) => fields.consent_proof);
		if (!optIns.has(true) || !mayOptIn || out.has(contact) || was === 'pending') continue;
		// The sandbox opts nobody in again without a proof.
		if (was !== 'opted_out' || hasProof) expect(contact.opt_in_status).toBe('confirmed');
	}
}

const options = ({ world: { resubscribes } }: Scene) => ({
	tagMode: 'match',
	optInOptedOut: resubscribes,
});
const run = async (scene: Scene, more: IDataObject = {}) =>
	await runSync(sandbox, scene.items, automatic({ ...options(scene), ...more }), {
		onError: 'continueRegularOutput',
	});
const DRY: Record<string, string> = {
	created: 'wouldCreate',
	updated: 'wouldUpdate',
	saved: 'wouldSave',
	optInNo: 'wouldSendNo',
};

async function checkSync(scene: Scene) {
	const { world } = scene;
	const isSteady = world.optsOut.length === 0;
	const start = structuredClone([...sandbox.store.contacts.values()]);
	const preview = isSteady ? await run(scene, { dryRun: true }) : undefined;
	expect([...sandbox.store.contacts.values()]).toEqual(start);
	sandbox.requests.length = 0;
	const before = consentOf();
	const out = letOptOut(scene);
	const first = await run(scene);
	sandbox.clearFaults();
	expect(first.error).toBeUndefined();
	expectHarmless(scene, before, out);
	expectDone(scene, before, out);
	const isKnown = (index: number) =>
		SUBSCRIBERS[world.rows[index]?.subscriber]?.isComparable ?? world.otherRows < 100;
	if (preview) {
		const previewed = syncsOf(preview.json);
		for (const [index, { action, changedFields }] of syncsOf(first.json).entries()) {
			if (!isKnown(index)) continue;
			// If a contact is not looked up, only the real run shows that it is new.
			if (previewed[index].action === 'wouldSave' && action === 'created') {
				expect(
					before.has(sandbox.store.findByPhone(String(first.json[index].phone)) as Contact),
				).toBe(false);
				continue;
			}
			const text = `${String(first.json[index].error)} ${String(previewed[index].note)}`;
			expect([index, previewed[index].action, text]).toEqual([
				index,
				DRY[String(action)] ?? action,
				text,
			]);
			if (!first.json[index].error) expect(previewed[index].changedFields).toEqual(changedFields);
		}
	}
	await checkSecondRun(scene, out);
}

/** The second run sends nothing but what the docs say that each run sends. */
async function checkSecondRun(scene: Scene, out: ReadonlySet<Contact>) {
	// The first run read it before it opted out; this one opts it in again, as the option and the row ask.
	const mayReturn = (contact: Contact) =>
		scene.world.resubscribes &&
		out.has(contact) &&
		scene.rowsOf(scene.ownerOf(contact)).some(({ fields }) => fields.opt_in === true);
	sandbox.requests.length = 0;
	const trail = sandbox.store.consentTrail.length;
	const before = consentOf();
	await run(scene);
	for (const [contact, was] of before) {
		if (contact.opt_in_status === was) continue;
		expect([was, contact.opt_in_status, mayReturn(contact)]).toEqual([
			'opted_out',
			'confirmed',
			true,
		]);
	}
	for (const { opt_in, contact_id } of sandbox.store.consentTrail.slice(trail)) {
		const contact = sandbox.store.contacts.get(contact_id) as Contact;
		// The sandbox opts nobody in again without a proof.
		const isRefused = contact.opt_in_status === 'opted_out' && scene.world.resubscribes;
		// A contact that no look-up finds is new each time, and the summary says that its phone differs.
		const isFindable = SUBSCRIBERS[scene.ownerOf(contact)].isComparable;
		if (isFindable && !isRefused && !mayReturn(contact)) expect(opt_in).toBe(false);
	}
	const pages = sandbox.requests.filter(({ query }) => !query.search && !query.opt_in_status);
	// Of more than 100 rows, those without a reason are saved as they are, unless the whole list is read.
	const isListRead = pages.length > Math.floor(scene.world.others / 100);
	const isUncompared = (owner: number) =>
		scene.items.length > 100 && !isListRead && !TWO_FORMS.includes(SUBSCRIBERS[owner].typed);
	const loud = writes(sandbox).filter(({ request, body }) => {
		const { phone = '', opt_in } = (body ?? {}) as { phone?: string; opt_in?: boolean };
		const owner = scene.ownerOf({ phone } as Contact);
		const isUnknown = owner < 0 || !SUBSCRIBERS[owner].isComparable || isUncompared(owner);
		return !(request === 'POST /v1/contacts' && (opt_in !== undefined || isUnknown));
	});
	// For a national number that the look-up cannot find, the extra requests go by ID.
	const isFindable = scene.world.rows.every((row) => SUBSCRIBERS[row.subscriber].isComparable);
	if (isFindable) expect(loud).toEqual([]);
}

/** Sends one campaign twice, first by the numbers that people type, then by ID. */
async function checkCampaign({ ownerOf, contactsOf: of }: Scene) {
	const typed = places.flatMap((place) =>
		SUBSCRIBERS[place].typed.map((phone) => ({ ...of(place)[0], phone })),
	);
	const byPhone = { contactId: chosen('phone', '={{ $json.phone }}') };
	const states = consentOf();
	await runCampaign(sandbox, typed, { parameters: campaign({}, byPhone) });
	const all = places.flatMap(of);
	if (all.length > 0) await runCampaign(sandbox, all);
	const got = sandbox.store.sentMessages.map(({ contact_id }) => {
		const contact = sandbox.store.contacts.get(contact_id) as Contact;
		expect(contact.opt_in_status).toBe('confirmed');
		return ownerOf(contact);
	});
	expect(got).toEqual([...new Set(got)]);
	for (const place of places) {
		const [contact, ...more] = of(place);
		if (more.length === 0 && contact?.opt_in_status === 'confirmed') expect(got).toContain(place);
	}
	expect(consentOf()).toEqual(states);
}

/** Single operations find the one contact, name both of two, and make no second one. */
async function checkSingle({ world: { rows: given }, contactsOf: of }: Scene) {
	const named = [...new Set(given.map(({ subscriber }) => subscriber))].slice(0, 2);
	for (const place of named.filter((each) => SUBSCRIBERS[each].isComparable)) {
		const known = of(place);
		const ids = known.map(({ id }) => id);
		for (const phone of SUBSCRIBERS[place].typed) {
			const contactId = chosen('phone', phone);
			const get = { resource: 'contact', operation: 'get', contactId } as INodeParameters;
			const { json, error } = await runNode(sandbox, { parameters: get });
			if (known.length === 1) expect(json).toMatchObject([{ id: ids[0] }]);
			else expect(error?.message).toMatch(known.length > 1 ? /^2 contacts/ : /^No contact/);
			if (known.length > 1) for (const id of ids) expect(error?.description).toContain(id);
			const upsert = { resource: 'contact', operation: 'upsert', phone } as INodeParameters;
			await runNode(sandbox, { parameters: upsert });
			expect(of(place)).toHaveLength(Math.max(1, known.length));
			if (known.length === 0) break;
		}
	}
}

const numRuns = Number(process.env.WORLDS ?? 60);

test(
	'every operation means the same contact, and changes no consent in doubt',
	async () => {
		await fc.assert(
			fc.asyncProperty(worlds, async (world) => {
				const scene = build(world);
				for (const check of [checkSync, checkCampaign, checkSingle]) await check(scene);
			}),
			// Shrinking takes minutes.
			{ numRuns, endOnFailure: true },
		);
	},
	numRuns * 10_000,
);
