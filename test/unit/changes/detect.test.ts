import type { WireRecord } from '../../../nodes/WorkspaceCrm/api/types';
import { Baseline } from '../../../nodes/WorkspaceCrm/changes/baseline';
import { observe, remove } from '../../../nodes/WorkspaceCrm/changes/detect';
import { digest } from '../../../nodes/WorkspaceCrm/changes/kept';
import type { Watched } from '../../../nodes/WorkspaceCrm/changes/watched';
import type { ChangeEvent } from '../../../nodes/WorkspaceCrm/changes/watchFields';
import { watched } from './changedList';

const anna = { id: 'a', name: 'Anna', opt_in_status: 'none', tags: ['vip'], attributes: {} };

/** A baseline that took stock, and that knows these contacts. */
function baselineWith(...contacts: Array<WireRecord & { id: string }>): Baseline {
	const baseline = new Baseline('key');
	for (const contact of contacts) observe(baseline, watched, contact.id, contact);
	baseline.isTakingStock = false;
	baseline.beginReading();
	return baseline;
}

const only = (...events: ChangeEvent[]): Watched => ({ ...watched, events: new Set(events) });

describe('a contact that is not known', () => {
	test('has entered', () => {
		const baseline = baselineWith();
		expect(observe(baseline, watched, 'a', anna)).toEqual([{ event: 'entered', contact: anna }]);
		expect(baseline.entries.get('a')).toMatchObject({ misses: 0, isFound: true });
		expect(observe(baseline, watched, 'a', anna)).toEqual([]);
	});

	test('is stock at first, unless the workflow is to start for those, too', () => {
		expect(observe(new Baseline('key'), watched, 'a', anna)).toEqual([]);
		const withExisting = { ...watched, startForExisting: true };
		expect(observe(new Baseline('key'), withExisting, 'a', anna)).toHaveLength(1);
	});

	test('is kept also if nobody wants to hear of it', () => {
		const baseline = baselineWith();
		expect(observe(baseline, only('updated'), 'a', anna)).toEqual([]);
		const renamed = { ...anna, name: 'Anne' };
		expect(observe(baseline, only('updated'), 'a', renamed)).toHaveLength(1);
	});
});

describe('a contact that is known', () => {
	test('gives an event for each kind of change, and each once', () => {
		const baseline = baselineWith(anna);
		const contact = { ...anna, name: 'Anne', opt_in_status: 'confirmed', tags: ['new'] };
		expect(observe(baseline, watched, 'a', contact)).toEqual([
			{ event: 'updated', contact, fields: ['name'] },
			{ event: 'consentChanged', contact, consent: { from: 'none', to: 'confirmed' } },
			{ event: 'tagAdded', contact, tag: digest('new') },
			{ event: 'tagRemoved', contact, tag: digest('vip') },
		]);
		expect(baseline.entries.get('a')!.isFound).toBe(true);
		expect(observe(baseline, watched, 'a', contact)).toEqual([]);
	});

	test('gives only the events that are chosen; the others do not come later', () => {
		const baseline = baselineWith(anna);
		const contact = { ...anna, name: 'Anne', tags: [] };
		const [event, ...more] = observe(baseline, only('tagRemoved'), 'a', contact);
		expect([event.event, more]).toEqual(['tagRemoved', []]);
		expect(observe(baseline, watched, 'a', contact)).toEqual([]);
	});

	test('keeps what a record without it does not say', () => {
		const baseline = baselineWith(anna);
		expect(observe(baseline, watched, 'a', { id: 'a' })).toEqual([]);
		expect(observe(baseline, watched, 'a', { ...anna, name: 'Anne' })).toMatchObject([
			{ event: 'updated', fields: ['name'] },
		]);
	});
});

describe('a contact that is gone', () => {
	const before = { consent: 'none', tags: [digest('vip')] };

	test.each([
		{ found: 'erased' as const, chosen: only('erased', 'left'), event: 'erased' },
		// An erased contact has left the list, too.
		{ found: 'erased' as const, chosen: only('left'), event: 'left' },
		{ found: anna, chosen: only('erased', 'left'), event: 'left' },
	])('is $event, with what was known of it', ({ found, chosen, event }) => {
		const baseline = baselineWith(anna);
		const contact = found === 'erased' ? { id: 'a' } : anna;
		expect(remove(baseline, chosen, 'a', found)).toEqual([{ event, contact, before }]);
		expect(baseline.entries.size).toBe(0);
		expect(remove(baseline, chosen, 'a', found)).toEqual([]);
	});

	test.each([
		{ found: anna, chosen: only('erased') },
		{ found: 'erased' as const, chosen: only('updated') },
	])('is forgotten also if nobody wants to hear of it', ({ found, chosen }) => {
		const baseline = baselineWith(anna);
		expect(remove(baseline, chosen, 'a', found)).toEqual([]);
		expect(baseline.entries.size).toBe(0);
	});
});
