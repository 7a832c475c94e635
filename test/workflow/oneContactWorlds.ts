import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { Contact, OptInStatus } from '../../tools/sandbox';
import { addContacts, useSandbox } from './support';

/**
 * Sync, Send Campaign and single operations in the same worlds: numbers with two forms, national numbers in the
 * CRM, duplicates, opt-outs during a run, services that keep a form of their own. A request is judged by the
 * subscriber that its contact was made for, not by the number.
 *
 * `WORLDS=300 npx jest oneContactModel` runs more worlds.
 */
export const sandbox = useSandbox({ limiter: { kind: 'off' } });

interface Subscriber {
	/** How people write the number. */
	typed: string[];
	/** How the CRM may store it. The service knows whose number it is. */
	stored: string[];
	/** Whether every form that is typed finds every form that is stored. */
	isComparable: boolean;
}

export const TWO_FORMS = [
	['+5511987654321', '+551187654321'],
	['+5215512345678', '+525512345678'],
	['+5491123456789', '+541123456789'],
	['+2290195123456', '+22995123456'],
	['+2250707123456', '+22507123456'],
];
export const SUBSCRIBERS: Subscriber[] = TWO_FORMS.map((forms) => ({
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
export const places = SUBSCRIBERS.map((_, place) => place);

interface Row {
	subscriber: number;
	/** The index of a typed form, or of the contact that the row names by ID. */
	form: number;
	isById: boolean;
	fields: { name?: string; tags?: string; opt_in?: boolean; consent_proof?: string };
}

export interface World {
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
export const worlds: fc.Arbitrary<World> = fc.record({
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
export interface Scene {
	world: World;
	items: IDataObject[];
	/** The subscriber of a contact, also of a new one. */
	ownerOf: (contact: Contact) => number;
	contactsOf: (subscriber: number) => Contact[];
	rowsOf: (subscriber: number) => Row[];
}

const digitsOf = (phone: string) => phone.replace(/\D/g, '');

export function build(world: World): Scene {
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

export const consentOf = () =>
	new Map([...sandbox.store.contacts.values()].map((c) => [c, c.opt_in_status]));
