import type { OptInStatus, WireRecord } from '../../../nodes/WorkspaceCrm/api/types';
import type { Found } from '../../../nodes/WorkspaceCrm/changes/detect';
import type { Source } from '../../../nodes/WorkspaceCrm/changes/pollOnce';
import type { RecordPage } from '../../../nodes/WorkspaceCrm/api/client';
import type { Watched } from '../../../nodes/WorkspaceCrm/changes/watched';

/** A contact that the simulated service holds. */
export interface Person {
	id: string;
	name: string;
	consent: OptInStatus;
	tags: string[];
	attributes: Record<string, string>;
	isIn: boolean;
}

export type Fault = 'none' | 'page' | 'find' | 'time' | 'empty' | 'dropRows';

export const PAGE = 3;

/** A list that changes, shifts, fails and lies, and notes which records it has given. */
export class ChangedList implements Source {
	people: Person[] = [];

	readonly erased = new Set<string>();

	/** What it has given since the last look, in order: only that can have been noticed. */
	given: WireRecord[] = [];

	/** Who was asked for by id. */
	readonly asked: string[] = [];

	/** Called before each page but the first of a poll: the list may shift. */
	between: () => void = () => {};

	fault: Fault = 'none';

	faultAt = 0;

	private requests = 0;

	private isLate = false;

	startPoll(fault: Fault, faultAt: number): void {
		Object.assign(this, { fault, faultAt, requests: 0, isLate: false });
	}

	get rows(): WireRecord[] {
		return this.people.filter(({ isIn }) => isIn).map(toRecord);
	}

	fetchPage(offset: number): Promise<RecordPage> {
		if (this.requests > 0) this.between();
		const isStruck = this.requests === this.faultAt;
		this.requests += 1;
		if (isStruck && this.fault === 'page') return Promise.reject(new Error('page'));
		if (this.fault === 'empty') return Promise.resolve({ records: [], total: 0 });
		const rows = this.rows.slice(offset, offset + PAGE);
		const records = isStruck && this.fault === 'dropRows' ? rows.slice(0, 1) : rows;
		this.given.push(...records);
		return Promise.resolve({ records, total: this.rows.length });
	}

	find(id: string): Promise<Found> {
		this.asked.push(id);
		if (this.fault === 'find') return Promise.reject(new Error('find'));
		const person = this.people.find((each) => each.id === id);
		if (!person) return Promise.resolve('erased');
		return Promise.resolve(person.isIn ? undefined : toRecord(person));
	}

	hasTime(): boolean {
		return !(this.fault === 'time' && this.requests > this.faultAt);
	}

	isOver(): boolean {
		return this.isLate;
	}
}

export function toRecord({ id, name, consent, tags, attributes }: Person): WireRecord {
	return { id, name, opt_in_status: consent, tags: [...tags], attributes: { ...attributes } };
}

export const watched: Watched = {
	kind: 'filter',
	path: '/v1/contacts',
	query: {},
	textsAre: 'name',
	events: new Set([
		'consentChanged',
		'entered',
		'erased',
		'left',
		'tagAdded',
		'tagRemoved',
		'updated',
	]),
	parts: { consent: true, tags: true, fields: ['name', 'attributes'] },
	simplify: true,
	startForExisting: false,
	key: 'key',
};
