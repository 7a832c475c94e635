import {
	readContact,
	readSubscription,
	type WireRecord,
} from '../../../nodes/WorkspaceCrm/crm/records';

describe('the record of a contact', () => {
	it('is read in the types of the reference', () => {
		const record = {
			...{ id: 'c1', phone: '+49151', name: 'Ann', locale: 'de', source: 'api' },
			...{ attributes: { plan: 'x' }, tags: ['vip'], opt_in_status: 'confirmed', created: true },
		};
		const { id, phone, name, locale, source, attributes, tags } = record;
		expect(readContact(record)).toEqual({
			...{ record, id, phone, name, locale, source, attributes, tags },
			...{ optInStatus: 'confirmed', isNew: true },
		});
	});

	it('has no values of other types', () => {
		const record = {
			...{ id: null, phone: {}, name: 5, locale: null, source: [] },
			...{ attributes: [], tags: 'vip', opt_in_status: 'maybe', created: 'true' },
		};
		expect(readContact(record)).toEqual({
			...{ record, id: '', phone: '', attributes: {}, tags: [], isNew: false },
		});
	});

	it('has only tags that are text', () => {
		expect(
			readContact({ tags: ['vip', 5, null, { name: 'x' }, 'new'] } as WireRecord).tags,
		).toEqual(['vip', 'new']);
	});
});

describe('the record of a subscription', () => {
	it('is read in the types of the reference', () => {
		const record = { id: 7, url: 'https://a.example', secret: 's', events: ['tag.added', 5] };
		expect(readSubscription(record)).toEqual({
			...{ id: '7', url: 'https://a.example', secret: 's', events: ['tag.added'] },
			isActive: true,
		});
		expect(readSubscription({ events: 'tag.added' })).toMatchObject({ id: '', events: undefined });
	});

	it.each([
		[true, true],
		[false, false],
		[undefined, true],
		[null, true],
	])('is active unless the service says otherwise: %j', (active, expected) => {
		expect(readSubscription({ active }).isActive).toBe(expected);
	});
});
