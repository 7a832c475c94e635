import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { systemClock } from '../../../nodes/WorkspaceCrm/n8n/systemClock';
import type { Contact } from '../../../tools/sandbox';
import { process } from '../../../tools/support/platform';
import { PollHost, unlimitedRuntime } from './pollHost';
import { addContact, addContacts, chosen, useSandbox } from '../support';

/**
 * Whatever happens to contacts, to the service and to n8n: each change between two readings of a contact is
 * reported once, nothing else is reported, and the events add up to what the list holds.
 */
const sandbox = useSandbox({ limiter: { kind: 'off' } });

/** The list holds the contacts with this tag. */
const LISTED = 'listed';
const LIST = /^\/v1\/contacts$/;
/** Three pages. */
const CONTACTS = 205;

type Change =
	| { do: 'add'; isFirst: boolean }
	| { do: 'erase' | 'leave' | 'enter' | 'rename' | 'mark' | 'reorder'; who: number }
	| { do: 'consent'; who: number; to: Contact['opt_in_status'] }
	| { do: 'tag'; who: number; tag: string };
interface Poll {
	do: 'poll';
	fault: 'none' | 'page' | 'find' | 'empty' | 'dropRows' | 'total';
	/** Before which page it strikes. */
	at: number;
	/** What happens after each page of this poll. */
	between: Change[];
}
interface Rest {
	do: 'settle' | 'restart' | 'kill' | 'lock' | 'renameNode' | 'publish' | 'publishMeanwhile';
}
type Step = Change | Poll | Rest;

/** Often the same few, often at the edges of pages. */
const who = fc.oneof(fc.constantFrom(0, 99, 100, 199, 200, 204), fc.nat(CONTACTS));
const change: fc.Arbitrary<Change> = fc.oneof(
	fc.record({ do: fc.constant('add' as const), isFirst: fc.boolean() }),
	fc.record({
		do: fc.constantFrom('erase' as const, 'leave', 'enter', 'rename', 'mark', 'reorder'),
		who,
	}),
	fc.record({
		do: fc.constant('consent' as const),
		who,
		to: fc.constantFrom('none' as const, 'pending', 'confirmed', 'opted_out'),
	}),
	fc.record({ do: fc.constant('tag' as const), who, tag: fc.constantFrom('a', 'b', 'c') }),
);
const poll: fc.Arbitrary<Poll> = fc.record({
	do: fc.constant('poll' as const),
	fault: fc.constantFrom('none' as const, 'none', 'page', 'find', 'empty', 'dropRows', 'total'),
	at: fc.nat(3),
	between: fc.array(change, { maxLength: 4 }),
});
const rest: fc.Arbitrary<Rest> = fc.record({
	do: fc.constantFrom(
		'settle' as const,
		'restart',
		'kill',
		'lock',
		'renameNode',
		'publish',
		'publishMeanwhile',
	),
});
const steps: fc.Arbitrary<Step[]> = fc.array(
	fc.oneof(
		{ weight: 6, arbitrary: change },
		{ weight: 4, arbitrary: poll },
		{ weight: 1, arbitrary: rest },
	),
	{ minLength: 5, maxLength: 40 },
);

const EVENTS = ['consentChanged', 'entered', 'erased', 'left', 'tagAdded', 'tagRemoved', 'updated'];

interface Seen {
	name: unknown;
	consent: unknown;
	tags: string[];
}

const seenIn = ({ name, opt_in_status, tags }: IDataObject | Contact): Seen => ({
	name,
	consent: opt_in_status,
	tags: [...(tags as string[])].sort(),
});

/** A published workflow over time, and the events that started it. */
class Life {
	private people: Contact[];

	private readonly host: PollHost;

	/** Each contact of the list, as the events left it. */
	private readonly told = new Map<string, Seen>();

	/** Each state that a contact ever had. */
	private readonly states = new Map<string, Set<string>>();

	private checked = 0;

	private added = 0;

	private names = 0;

	/** Polls are a minute apart. */
	private laterMs = 0;

	constructor(private readonly isDurable: boolean) {
		sandbox.reset();
		['a', 'b', 'c', LISTED].forEach((tag) => sandbox.store.addTag(tag));
		const attributes = { plan: 'x', address: { city: 'Köln', lines: [1, 2] } };
		this.people = addContacts(sandbox, CONTACTS, { tags: [LISTED] });
		this.people.forEach((person) => (person.attributes = { ...attributes }));
		const parameters = {
			watch: 'filter',
			filters: { tag: chosen('name', LISTED) },
			events: EVENTS,
			fields: ['name', 'attributes'],
		};
		const elapsedMs = () => systemClock.elapsedMs() + this.laterMs;
		const runtime = unlimitedRuntime({ ...systemClock, elapsedMs });
		this.host = new PollHost(sandbox, { parameters, runtime, isDurable });
	}

	async begin(): Promise<void> {
		await this.host.publish();
		// With durable cursors, n8n saves no cursor of the first poll.
		await this.poll();
		expect(this.host.events).toEqual([]);
		this.people.forEach((each) => this.told.set(each.id, seenIn(each)));
	}

	async do(step: Step): Promise<void> {
		switch (step.do) {
			case 'poll':
				return await this.pollWith(step);
			case 'settle':
				return await this.settle();
			case 'restart':
				await this.host.restart();
				return this.check();
			case 'renameNode':
				this.names += 1;
				// Also back to a former name.
				this.host.identity.nodeName = `Name ${this.names % 2}`;
				await this.host.publish('update');
				return this.check();
			case 'publish':
				await this.host.publish('update');
				return this.check();
			case 'publishMeanwhile': {
				const meanwhile = async () => await this.host.publish('update');
				sandbox.fail({ match: { path: LIST }, kind: { meanwhile } });
				return await this.poll();
			}
			case 'lock':
				this.host.isLocked = true;
				await this.poll();
				this.host.isLocked = false;
				return;
			case 'kill':
				// Without durable cursors, the events of that poll are lost.
				if (this.isDurable) await this.killed();
				return;
			default:
				this.change(step);
		}
	}

	/** Quiet polls, until the events add up to what the list holds. */
	async settle(): Promise<void> {
		const { errors } = this.host;
		const before = errors.length;
		for (let polls = 0; polls < 8 && !this.isUpToDate(); polls += 1) await this.poll();
		expect([...this.told].sort()).toEqual(this.listed());
		expect(errors.slice(before)).toEqual([]);
		const count = this.host.events.length;
		await this.poll();
		expect(this.host.events).toHaveLength(count);
	}

	private isUpToDate(): boolean {
		return JSON.stringify([...this.told].sort()) === JSON.stringify(this.listed());
	}

	private listed() {
		const members = this.people.filter(({ tags }) => tags.includes(LISTED));
		return members.map((each) => [each.id, seenIn(each)] as const).sort();
	}

	private async poll(): Promise<void> {
		this.laterMs += 60_000;
		await this.host.poll();
		this.check();
	}

	private async pollWith({ fault, at, between }: Poll): Promise<void> {
		const changes = [...between];
		let pages = 0;
		if (fault === 'page') sandbox.fail({ match: { path: LIST }, skip: at, kind: { status: 422 } });
		if (fault === 'find') {
			const match = { path: /^\/v1\/contacts\/./ };
			sandbox.fail({ match, times: Infinity, kind: { status: 409 } });
		}
		sandbox.fail({
			match: { path: LIST },
			times: Infinity,
			kind: {
				page: (page) => {
					const next = changes.shift();
					if (next) this.change(next);
					pages += 1;
					if (fault === 'empty') return { ...page, data: [], total: 0 };
					// It never adds up, so the poll returns nothing.
					if (fault === 'total') return { ...page, total: this.people.length + 10 };
					if (fault !== 'dropRows' || pages !== at + 1) return page;
					return { ...page, data: page.data.slice(0, 1) };
				},
			},
		});
		await this.poll();
		sandbox.clearFaults();
	}

	private async killed(): Promise<void> {
		this.host.onStart = () => {
			throw new Error('killed');
		};
		this.laterMs += 60_000;
		await this.host.poll();
		this.host.onStart = () => {};
		await this.host.restart();
	}

	/** Checks that each event since the last check is new and true. */
	private check(): void {
		const { events } = this.host;
		for (const { event, contact, changed } of events.slice(this.checked)) {
			this.take(String(event), contact as IDataObject, changed as IDataObject);
		}
		// This event, or others of the same poll, must have reported all that its contact shows.
		for (const { event, contact } of events.slice(this.checked)) {
			const { id } = contact as IDataObject;
			if (event === 'left' || event === 'erased') continue;
			const seen = seenIn(contact as IDataObject);
			expect(this.told.get(String(id))).toEqual(seen);
			expect(this.states.get(String(id)) ?? new Set()).toContain(JSON.stringify(seen));
		}
		this.checked = events.length;
	}

	private take(event: string, contact: IDataObject, changed: IDataObject): void {
		const id = String(contact.id);
		const before = this.told.get(id);
		expect([event, before !== undefined]).toEqual([event, event !== 'entered']);
		const person = this.people.find((each) => each.id === id);
		if (event === 'entered') this.told.set(id, seenIn(contact));
		if (event === 'left' || event === 'erased') {
			expect([event, person?.tags.includes(LISTED)]).toEqual([
				event,
				event === 'left' ? false : undefined,
			]);
			this.told.delete(id);
		}
		if (!before) return;
		const tag = String(changed.tag);
		if (event === 'updated') {
			expect([changed.fields, before.name === contact.name]).toEqual([['name'], false]);
			before.name = contact.name;
		}
		if (event === 'consentChanged') {
			const { opt_in_status: to } = contact;
			expect(changed.opt_in_status).toEqual({ from: before.consent, to });
			expect(to).not.toBe(before.consent);
			before.consent = to;
		}
		if (event === 'tagAdded') {
			expect(before.tags).not.toContain(tag);
			before.tags = [...before.tags, tag].sort();
		}
		if (event === 'tagRemoved') {
			expect(before.tags).toContain(tag);
			before.tags = before.tags.filter((each) => each !== tag);
		}
	}

	private change(step: Change): void {
		if (step.do === 'add') {
			this.added += 1;
			const person = addContact(sandbox, {
				phone: `+1312${4_000_000 + this.added}`,
				tags: [LISTED],
				...(step.isFirst && { created_at: '2020-01-01T00:00:00.000Z' }),
			});
			this.people.push(person);
			return this.note(person);
		}
		const person = this.people[step.who % this.people.length];
		const without = (tag: string) => person.tags.filter((each) => each !== tag);
		const toggled = (tag: string) =>
			person.tags.includes(tag) ? without(tag) : [...person.tags, tag];
		if (step.do === 'erase') {
			this.people = this.people.filter((each) => each !== person);
			sandbox.store.eraseContact(person);
		}
		if (step.do === 'leave') person.tags = without(LISTED);
		if (step.do === 'enter') person.tags = [...without(LISTED), LISTED];
		if (step.do === 'rename') person.name = `${person.name}+`;
		if (step.do === 'mark') person.attributes[`sent:${person.name}`] = 'yes';
		if (step.do === 'reorder') {
			person.tags.reverse();
			person.attributes = Object.fromEntries(Object.entries(person.attributes).reverse());
		}
		if (step.do === 'consent') person.opt_in_status = step.to;
		if (step.do === 'tag') person.tags = toggled(step.tag);
		this.note(person);
	}

	private note(person: Contact): void {
		const states = this.states.get(person.id) ?? new Set();
		this.states.set(person.id, states.add(JSON.stringify(seenIn(person))));
	}
}

test.each([
	['as n8n saves static data', false],
	['with durable cursors', true],
])(
	'each change between two readings is reported once, and nothing else is: %s',
	async (_, isDurable) => {
		await fc.assert(
			fc.asyncProperty(steps, async (all) => {
				const life = new Life(isDurable);
				await life.begin();
				for (const step of all) await life.do(step);
				await life.settle();
			}),
			{ numRuns: Number(process.env.WORLDS ?? 12) },
		);
	},
	300_000,
);
