import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { createRuntime } from '../../../../nodes/WorkspaceCrm/crm/connection';
import type { Contact, OptInStatus, RecordedRequest } from '../../../../tools/sandbox';
import { addContact, addContacts, useSandbox } from '../../support';
import { automatic, runSync } from './syncNode';
import { VirtualWire } from '../../virtualWire';

/** Which contacts a sync sends consent for, judged by what went over the wire and what the service knew. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });

/** Each subscriber by two forms of the number. */
const SUBSCRIBERS = [
	// Services keep one of these.
	['+5511987654321', '+551187654321'],
	['+5215512345678', '+525512345678'],
	['+5491123456789', '+541123456789'],
	// These have a zero too many, which services may trim.
	['+4901512345678', '+491512345678'],
	['+3510912345678', '+351912345678'],
	...Array.from({ length: 9 }, (_, index) => Array<string>(2).fill(`+49151234567${10 + index}`)),
];
const TRIMMED = [3, 4];

/** How a service may write a number. */
const LOOKS = {
	plus: (phone: string) => phone,
	bare: (phone: string) => phone.slice(1),
	spaced: (phone: string) => `${phone.slice(0, 3)} ${phone.slice(3)}`,
};

interface World {
	/** For each subscriber: how the service stores the number, and its state if the CRM has it. */
	stored: Array<{ form: number; look: keyof typeof LOOKS; state: OptInStatus | 'absent' }>;
	/** How many other contacts there are; a huge list shows only its first few. */
	others: 0 | 150 | 'huge';
	rows: Array<{ subscriber: number; form: number; byId: boolean; name: boolean }>;
	/** What happens in the app, and after which request. */
	changes: Array<{ request: number; subscriber: number; to: OptInStatus }>;
	readSeconds: number;
	writeSeconds: number[];
	/** The rate limit in requests a minute. If it is low, each request waits long before it is sent. */
	limit: number;
}

const subscribers = SUBSCRIBERS.map((_, index) => index);
const worlds: fc.Arbitrary<World> = fc.record({
	stored: fc.tuple(
		...subscribers.map((index) =>
			fc.record({
				form: TRIMMED.includes(index) ? fc.constant(1) : fc.nat(1),
				look: fc.constantFrom('plus', 'plus', 'bare', 'spaced'),
				state: fc.constantFrom('absent', 'none', 'none', 'none', 'opted_out', 'opted_out'),
			}),
		),
	),
	others: fc.constantFrom<World['others'][]>(0, 150, 'huge'),
	rows: fc.shuffledSubarray(subscribers, { minLength: 10 }).chain((chosen) =>
		fc.tuple(
			...chosen.map((subscriber) =>
				fc.record({
					subscriber: fc.constant(subscriber),
					form: fc.nat(1),
					byId: fc.boolean(),
					name: fc.boolean(),
				}),
			),
		),
	),
	changes: fc.array(
		fc.record({
			request: fc.nat(12),
			subscriber: fc.constantFrom(...subscribers),
			to: fc.constantFrom('opted_out', 'opted_out', 'none'),
		}),
		{ minLength: 6, maxLength: 16, size: 'max' },
	),
	readSeconds: fc.constantFrom(0, 1, 4),
	writeSeconds: fc.array(fc.constantFrom(0, 3, 7, 12), { minLength: 1, maxLength: 3 }),
	limit: fc.constantFrom(120, 120, 20, 5),
});

/** Logs requests and answers, and knows who has really opted out. */
class Witness {
	readonly wrong: string[] = [];
	private readonly outSinceMs = new Map<string, number>();
	private readonly shown = new Set<string>();
	private readonly shownAsOut = new Set<string>();
	private readonly shownAlone = new Set<string>();
	/** When each list began. */
	private readonly lists = new Map<string, number>();
	private slowestListMs = 0;

	constructor(
		private readonly nowMs: () => number,
		/** Contacts whose rows give an ID or another form of the number. */
		private readonly namedOtherwise: ReadonlySet<string>,
	) {}

	/** Must be called for each state as it begins. */
	isNow({ id, opt_in_status }: Contact) {
		if (opt_in_status !== 'opted_out') this.outSinceMs.delete(id);
		else if (!this.outSinceMs.has(id)) this.outSinceMs.set(id, this.nowMs());
	}

	arrives({ method, path, query, body }: RecordedRequest, { id, created, phone }: Answered) {
		if (method === 'GET' && !query.search && (query.offset ?? '0') === '0') {
			this.lists.set(`${path}${String(query.opt_in_status)}`, this.nowMs());
		}
		const fields = (body ?? {}) as Partial<Record<string, unknown>>;
		if (fields.opt_in !== true || created || id === undefined) return;
		const sinceMs = this.nowMs() - (this.outSinceMs.get(id) ?? Infinity);
		if (this.shownAsOut.has(id)) this.wrong.push(`${phone} was shown as opted out`);
		if (sinceMs > Math.max(10_000, 2 * this.slowestListMs)) {
			this.wrong.push(`${phone} had opted out ${sinceMs} ms before`);
		}
		if (!this.shown.has(id) || !this.namedOtherwise.has(id)) return;
		if (!this.shownAlone.has(id) || 'name' in fields) {
			this.wrong.push(`${phone} got its consent before an answer had shown it alone`);
		}
	}

	isReceived({ path, query }: RecordedRequest, { data, ...contact }: Answered) {
		const startMs = this.lists.get(`${path}${String(query.opt_in_status)}`);
		if (data && !query.search && startMs !== undefined) {
			this.slowestListMs = Math.max(this.slowestListMs, this.nowMs() - startMs);
		}
		for (const { id = '', opt_in_status } of data ?? [contact]) {
			this.shown.add(id);
			if (!data) this.shownAlone.add(id);
			if (opt_in_status === 'opted_out') this.shownAsOut.add(id);
		}
	}
}

/** A contact, or a list. */
type Answered = Partial<Contact> & { created?: boolean; data?: Contact[]; total?: number };

/** Runs a sync in a world. Returns what it did wrong. */
async function wrongOptIns(world: World): Promise<string[]> {
	sandbox.reset();
	const { stored, others, rows, changes, readSeconds, writeSeconds, limit } = world;
	const wire = new VirtualWire();
	const phones = stored.map(({ form, look }, index) => LOOKS[look](SUBSCRIBERS[index][form]));
	for (const [index, forms] of SUBSCRIBERS.entries()) {
		// Whichever form is sent, the service stores the same one.
		for (const form of forms) {
			for (const look of Object.values(LOOKS)) {
				sandbox.store.rules.newNumbers.set(look(form), phones[index]);
			}
		}
	}
	const contactOf = (index: number) => sandbox.store.findByPhone(phones[index]);
	const items = rows.map(({ subscriber, form, byId, name }): IDataObject => {
		const { state } = stored[subscriber];
		const phone = SUBSCRIBERS[subscriber][form];
		const { id } =
			state === 'absent'
				? {}
				: addContact(sandbox, { phone: phones[subscriber], opt_in_status: state });
		return {
			...(byId && id ? { id } : { phone }),
			opt_in: true,
			consent_proof: 'Form',
			...(name && { name: 'New' }),
		};
	});
	if (others === 150) addContacts(sandbox, others);
	const otherwise = rows.flatMap(({ subscriber, form, byId }) => {
		const isSame =
			SUBSCRIBERS[subscriber][form] === SUBSCRIBERS[subscriber][stored[subscriber].form];
		return !isSame || byId ? (contactOf(subscriber)?.id ?? []) : [];
	});
	const witness = new Witness(wire.now, new Set(otherwise));
	for (const contact of sandbox.store.contacts.values()) witness.isNow(contact);

	let count = 0;
	const rewrite = wire.rewrite((payload, request) => {
		const answered = JSON.parse(payload) as Answered;
		if (others === 'huge' && count === 0) {
			Object.assign(answered, { total: 20_000, data: answered.data?.slice(0, 6) });
		}
		witness.arrives(request, answered);
		for (const contact of sandbox.store.contacts.values()) witness.isNow(contact);
		for (const { subscriber, to } of changes.filter((change) => change.request === count)) {
			const phone = phones[subscriber];
			const contact = contactOf(subscriber) ?? addContact(sandbox, { phone });
			contact.opt_in_status = to;
			witness.isNow(contact);
		}
		const seconds =
			request.method === 'GET' ? readSeconds : writeSeconds[count % writeSeconds.length];
		count += 1;
		const received = () => witness.isReceived(request, answered);
		return { payload: JSON.stringify(answered), ms: seconds * 1_000, received };
	});
	sandbox.fail({ times: 10_000, kind: { rewrite } });
	const run = {
		onError: 'continueRegularOutput',
		runtime: createRuntime(wire, { limit, windowMs: 60_000 }),
	} as const;
	await wire.run(async () => await runSync(sandbox, items, automatic(), run));
	return witness.wrong;
}

test('nobody is opted in who was shown as opted out, or opted out long enough before', async () => {
	await fc.assert(
		fc.asyncProperty(worlds, async (world) => expect(await wrongOptIns(world)).toEqual([])),
		{ numRuns: 40 },
	);
}, 120_000);
