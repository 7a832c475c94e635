import type { Contact, JsonObject, OptInStatus } from '../records';
import type { Store } from '../state/store';
import { countries, type Country } from './countries';
import { SeededRandom } from './random';

const tags = ['vip', 'newsletter', 'lead', 'customer', 'wholesale', 'trade fair 2025', 'café'];
const sources = ['website', 'trade_fair', 'import', 'inbound_message', 'opt_in_page', 'api'];
const plans = ['free', 'starter', 'pro'];
const states: OptInStatus[] = [
	'confirmed',
	'confirmed',
	'confirmed',
	'pending',
	'none',
	'opted_out',
];

/** Seeded contacts were created over the last two years. */
const pastMs = 2 * 365 * 24 * 3_600_000;

function phoneFor(random: SeededRandom, country: Country): string {
	const free = random.digits(country.freeDigits);
	const prefix = random.pick(country.phonePrefixes);
	// In North America the exchange after the area code never begins with 0 or 1, nor is it N11.
	return prefix.startsWith('+1')
		? `${prefix}${random.pick([3, 4, 6])}2${free.slice(2)}`
		: prefix + free;
}

function attributesFor(random: SeededRandom, country: Country): JsonObject {
	const attributes: JsonObject = { plan: random.pick(plans), city: random.pick(country.cities) };
	if (random.chance(0.6)) attributes.birth_year = 1950 + random.integer(56);
	if (random.chance(0.2)) {
		attributes.last_order = { number: random.integer(90_000) + 10_000, paid: random.chance(0.9) };
	}
	return attributes;
}

function describe(random: SeededRandom): Omit<Contact, 'created_at' | 'last_inbound_at'> {
	const country = random.pick(countries);
	return {
		id: random.uuid(),
		phone: phoneFor(random, country),
		name: `${random.pick(country.firstNames)} ${random.pick(country.lastNames)}`,
		locale: country.locale,
		source: random.pick(sources),
		opt_in_status: random.pick(states),
		attributes: attributesFor(random, country),
		tags: tags.filter(() => random.chance(0.25)),
	};
}

/** Fills the store with `count` believable contacts, the same ones on every run. */
export function seedContacts(store: Store, count: number, nowMs: number): void {
	const random = new SeededRandom(20_250_101);
	// No contact has this tag yet, as in a workspace that will use it later.
	if (count > 0) store.addTag('welcome');
	let made = 0;
	while (made < count) {
		const fields = describe(random);
		if (store.findByPhone(fields.phone)) continue;
		const createdMs = nowMs - pastMs + Math.floor((pastMs / count) * made);
		const inboundMs = createdMs + Math.floor(random.next() * (nowMs - createdMs));
		const contact = store.addContact({
			...fields,
			created_at: new Date(createdMs).toISOString(),
			last_inbound_at: random.chance(0.7) ? new Date(inboundMs).toISOString() : null,
		});
		if (contact.opt_in_status === 'confirmed') {
			store.recordConsent(contact, true, 'Ticked the box on the order form');
		}
		made += 1;
	}
}
