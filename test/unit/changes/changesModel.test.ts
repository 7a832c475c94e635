import fc from 'fast-check';

import type { OptInStatus, WireRecord } from '../../../nodes/WorkspaceCrm/api/types';
import { Baseline, type StoredBaseline } from '../../../nodes/WorkspaceCrm/changes/baseline';
import type { Change } from '../../../nodes/WorkspaceCrm/changes/changeOutput';
import { digest } from '../../../nodes/WorkspaceCrm/changes/kept';
import { pollOnce } from '../../../nodes/WorkspaceCrm/changes/pollOnce';
import { ChangedList, watched, type Fault, type Person } from './changedList';

/** What happens to the workspace between two requests. */
type Step =
	| { do: 'add'; atFront: boolean }
	| { do: 'erase' | 'leave' | 'enter' | 'rename' | 'mark'; who: number }
	| { do: 'consent'; who: number; to: OptInStatus }
	| { do: 'tag'; who: number; tag: string }
	| { do: 'poll'; fault: Fault; faultAt: number; between: Step[] }
	| { do: 'restart' };

const who = fc.nat(30);
const change: fc.Arbitrary<Step> = fc.oneof(
	fc.record({ do: fc.constant('add' as const), atFront: fc.boolean() }),
	fc.record({
		do: fc.constantFrom('erase' as const, 'leave' as const, 'enter' as const),
		who,
	}),
	fc.record({ do: fc.constantFrom('rename' as const, 'mark' as const), who }),
	fc.record({
		do: fc.constant('consent' as const),
		who,
		to: fc.constantFrom<OptInStatus>('none', 'pending', 'confirmed', 'opted_out'),
	}),
	fc.record({ do: fc.constant('tag' as const), who, tag: fc.constantFrom('a', 'b', 'c') }),
);
const poll: fc.Arbitrary<Step> = fc.record({
	do: fc.constant('poll' as const),
	fault: fc.oneof(
		{ weight: 4, arbitrary: fc.constant<Fault>('none') },
		fc.constantFrom<Fault>('page', 'find', 'time', 'empty', 'dropRows'),
	),
	faultAt: fc.nat(4),
	between: fc.array(change, { maxLength: 4 }),
});
const steps = fc.array(
	fc.oneof(
		{ weight: 5, arbitrary: change },
		{ weight: 4, arbitrary: poll },
		{ weight: 1, arbitrary: fc.constant<Step>({ do: 'restart' }) },
	),
	{ minLength: 5, maxLength: 60 },
);

let serial = 0;

function newPerson(): Person {
	serial += 1;
	const id = `00000000-0000-4000-8000-${String(serial).padStart(12, '0')}`;
	return { id, name: 'n', consent: 'none', tags: [], attributes: {}, isIn: true };
}

function apply(list: ChangedList, step: Step): void {
	if (step.do === 'add') {
		if (step.atFront) list.people.unshift(newPerson());
		else list.people.push(newPerson());
	}
	if (!('who' in step) || list.people.length === 0) return;
	const person = list.people[step.who % list.people.length];
	switch (step.do) {
		case 'erase':
			list.people = list.people.filter((each) => each !== person);
			list.erased.add(person.id);
			break;
		case 'leave':
		case 'enter':
			person.isIn = step.do === 'enter';
			break;
		case 'rename':
			person.name += 'n';
			break;
		case 'mark':
			person.attributes[`sent:${person.name}`] = 'yes';
			break;
		case 'consent':
			person.consent = step.to;
			break;
		case 'tag':
			person.tags = person.tags.includes(step.tag)
				? person.tags.filter((tag) => tag !== step.tag)
				: [...person.tags, step.tag];
	}
}

/** What a change between two readings of a record has to be reported as, as texts. */
function expectedBetween(before: WireRecord, now: WireRecord): string[] {
	const id = String(now.id);
	const had = before.tags as string[];
	const has = now.tags as string[];
	const consents = `${before.opt_in_status as string}>${now.opt_in_status as string}`;
	return [
		...(before.name === now.name ? [] : [`${id} updated name`]),
		...(before.opt_in_status === now.opt_in_status ? [] : [`${id} consentChanged ${consents}`]),
		...has.filter((tag) => !had.includes(tag)).map((tag) => `${id} tagAdded ${digest(tag)}`),
		...had.filter((tag) => !has.includes(tag)).map((tag) => `${id} tagRemoved ${digest(tag)}`),
	];
}

function textOf({ event, contact, fields, consent, tag }: Change): string {
	const detail = fields?.join() ?? (consent ? `${consent.from}>${consent.to}` : tag);
	return [String(contact.id), event, ...(detail === undefined ? [] : [detail])].join(' ');
}

/** The node's life: what it keeps goes through JSON after each poll, and back to what was saved at a start. */
class Run {
	readonly list = new ChangedList();

	/** The record of each contact as it was given last; what the node can know. */
	private model = new Map<string, WireRecord>();

	private saved: { stored: StoredBaseline; model: Map<string, WireRecord> } | undefined;

	private stored: StoredBaseline | undefined;

	async poll({ fault, faultAt, between }: Extract<Step, { do: 'poll' }>): Promise<void> {
		const { list } = this;
		const changes = [...between];
		list.between = () => {
			const next = changes.shift();
			if (next) apply(list, next);
		};
		list.startPoll(fault, faultAt);
		list.given = [];
		const baseline = this.stored ? Baseline.fromStored(this.stored) : new Baseline('key');
		const wasTakingStock = baseline.isTakingStock;
		const foundBefore = new Set(
			[...baseline.entries].filter(([, e]) => e.isFound).map(([id]) => id),
		);
		const { changes: events } = await pollOnce(baseline, watched, list);

		const expected: string[] = [];
		const inReading = foundBefore;
		for (const record of list.given) {
			const id = String(record.id);
			if (inReading.has(id)) continue;
			inReading.add(id);
			const before = this.model.get(id);
			if (before) expected.push(...expectedBetween(before, record));
			else if (!wasTakingStock) expected.push(`${id} entered`);
			this.model.set(id, record);
		}
		const isGone = ({ event }: Change) => event === 'left' || event === 'erased';
		const noted = events.filter((each) => !isGone(each)).map(textOf);
		expect(noted.sort()).toEqual(expected.sort());
		for (const { event, contact } of events.filter(isGone)) {
			const id = String(contact.id);
			expect(this.model.has(id)).toBe(true);
			const person = list.people.find((each) => each.id === id);
			expect(event).toBe(person ? 'left' : 'erased');
			if (person) expect(person.isIn).toBe(false);
			this.model.delete(id);
		}
		this.stored = JSON.parse(JSON.stringify(baseline.toStored(1))) as StoredBaseline;
		expect(Baseline.fromStored(this.stored).toStored(1)).toEqual(this.stored);
		// n8n saves only with an execution.
		if (events.length > 0) this.saved = { stored: this.stored, model: new Map(this.model) };
	}

	restart(): void {
		this.stored = this.saved?.stored;
		this.model = new Map(this.saved?.model);
	}

	/** Quiet polls, until nothing more can come. */
	async settle(): Promise<void> {
		for (let index = 0; index < 8; index += 1) {
			await this.poll({ do: 'poll', fault: 'none', faultAt: 0, between: [] });
		}
		expect([...this.model.keys()].sort()).toEqual(
			this.list.rows.map(({ id }) => String(id)).sort(),
		);
	}
}

test('each change between two readings is reported once, and nothing else is, whatever happens', async () => {
	await fc.assert(
		fc.asyncProperty(steps, async (all) => {
			const run = new Run();
			for (let index = 0; index < 7; index += 1) run.list.people.push(newPerson());
			for (const step of all) {
				if (step.do === 'poll') await run.poll(step);
				else if (step.do === 'restart') run.restart();
				else apply(run.list, step);
			}
			await run.settle();
		}),
		{ numRuns: 200 },
	);
});
