import type { IDataObject } from 'n8n-workflow';

import type { Contact, OptInStatus } from '../../../../tools/sandbox';
import {
	consentOf,
	places,
	sandbox,
	SUBSCRIBERS,
	TWO_FORMS,
	type Scene,
} from '../../oneContactWorlds';
import { writes } from '../../support';
import { automatic, runSync, syncsOf } from './syncNode';

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
		// A No is refused if the CRM may have the number without its country: it could be somebody else's.
		if (optIns.has(false) && !SUBSCRIBERS[place].isComparable) continue;
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
	noNotTaken: 'wouldSendNo',
};

export async function check(scene: Scene) {
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
		for (const [index, { action, changedFields, note }] of syncsOf(first.json).entries()) {
			if (!isKnown(index)) continue;
			// If a contact is not looked up, only the real run shows that it is new.
			if (previewed[index].action === 'wouldSave' && action === 'created') {
				expect(
					before.has(sandbox.store.findByPhone(String(first.json[index].phone)) as Contact),
				).toBe(false);
				continue;
			}
			const text = `${String(first.json[index].error)} ${String(previewed[index].note)}`;
			// The sandbox leaves the status as it is after a No, and opts nobody in again without a proof.
			const isTaken = !/^The contact said/.test(String(note));
			const isOnlyYes = action === 'unchanged' && !isTaken;
			expect([index, previewed[index].action, text]).toEqual([
				index,
				isOnlyYes ? 'wouldUpdate' : (DRY[String(action)] ?? action),
				text,
			]);
			const done = (names: unknown = []) =>
				(names as string[]).filter((name) => isTaken || name !== 'opt_in');
			if (!first.json[index].error)
				expect(done(previewed[index].changedFields)).toEqual(done(changedFields));
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
