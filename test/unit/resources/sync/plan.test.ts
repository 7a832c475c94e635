import * as fc from 'fast-check';

import {
	readContact,
	type Contact,
	type WireRecord,
} from '../../../../nodes/WorkspaceCrm/api/types';
import { isSameJson } from '../../../../nodes/WorkspaceCrm/domain/json';
import type { DesiredContact } from '../../../../nodes/WorkspaceCrm/resources/contact/sync/desired';
import {
	withoutConsent,
	type ContactFields,
} from '../../../../nodes/WorkspaceCrm/resources/contact/sync/row';
import {
	asPlanned,
	changedFields,
	findExtraTags,
	hasAllTags,
	isOptInBarred,
	planFor,
	plannedAction,
	planToChange,
	planToSave,
	savingOf,
	type Plan,
} from '../../../../nodes/WorkspaceCrm/resources/contact/sync/plan';
import { contact, fields, rules, desiredOf, without } from './arbitraries';

/** The contact after the requests of a plan, as the reference says what they do. */
function carriedOut(plan: Plan): Contact {
	const saving = savingOf(plan);
	const {
		attributes = {},
		tags = [],
		opt_in,
		...others
	} = saving.kind === 'none' ? ({} as ContactFields) : (saving.body as ContactFields);
	const before = plan.current ?? readContact({});
	const kept = before.tags.filter((tag) => !plan.extraTags.includes(tag));
	const locale = saving.kind === 'post' ? saving.locale : undefined;
	const status = opt_in === undefined ? before.optInStatus : opt_in ? 'confirmed' : 'opted_out';
	return readContact({
		...before.record,
		...others,
		...(locale !== undefined && { locale }),
		phone: before.phone,
		opt_in_status: status,
		attributes: { ...before.attributes, ...attributes } as WireRecord,
		tags: [...kept, ...tags],
	});
}

const plans = fc.tuple(fields, contact, rules).map(([given, current, run]) => ({
	given,
	current,
	run,
	plan: planToChange(desiredOf(given), current, run),
}));

describe('the plan for a contact by its ID', () => {
	it('changes the same as by its phone, and sends nothing but consent by the phone', () => {
		fc.assert(
			fc.property(fields, contact, rules, (given, current, run) => {
				const byId = { ...desiredOf(given), contact: current };
				const plan = planFor(byId, [], run);
				const byPhone = planToChange(desiredOf(given), current, run);
				expect(plan).toEqual({ ...byPhone, desired: byId });
				const { tags = [], opt_in, consent_proof, ...body } = plan.fields;
				expect(savingOf(plan)).toEqual({
					kind: 'byId',
					tags,
					body,
					consent: { opt_in, consent_proof },
				});
			}),
		);
	});

	it('is a problem only where its consent would change, and it has no phone', () => {
		fc.assert(
			fc.property(fields, contact, rules, (given, { record }, run) => {
				const nameless = readContact({ ...record, phone: '' });
				const plan = planFor({ ...desiredOf(given), phone: '', contact: nameless }, [], run);
				const changes = planToChange(desiredOf(given), nameless, run).fields;
				const hasConsent = 'opt_in' in changes || 'consent_proof' in changes;
				expect(plan.problem !== undefined).toBe(hasConsent);
				if (hasConsent) expect(plan).toMatchObject({ fields: {}, extraTags: [] });
			}),
		);
	});
});

describe('the plan for a contact that the CRM has', () => {
	it('leaves nothing to do once it is carried out', () => {
		fc.assert(
			fc.property(plans, ({ given, run, plan }) => {
				const after = planToChange(desiredOf(given), carriedOut(plan), run);
				expect(changedFields(after)).toEqual([]);
				expect(plannedAction(after)).toBe('unchanged');
				expect(savingOf(after)).toEqual({ kind: 'none' });
			}),
			{ numRuns: 500 },
		);
	});

	it('sends only what differs, and changes nothing that is not given', () => {
		fc.assert(
			fc.property(plans, ({ given, current, plan }) => {
				for (const name of ['name', 'locale', 'source'] as const) {
					const isNew = given[name] !== undefined && given[name] !== current[name];
					expect(plan.fields[name]).toBe(isNew ? given[name] : undefined);
				}
				for (const [key, value] of Object.entries(plan.fields.attributes ?? {})) {
					const own = Object.getOwnPropertyDescriptor(given.attributes, key)?.value as unknown;
					const stored = Object.getOwnPropertyDescriptor(current.attributes, key);
					expect(value).toBe(own);
					expect(stored !== undefined && isSameJson(stored.value, value)).toBe(false);
				}
				const stored = current.tags;
				expect(plan.fields.tags ?? []).toEqual(
					(given.tags ?? []).filter((tag) => !stored.includes(tag)),
				);
			}),
			{ numRuns: 500 },
		);
	});

	it('takes one request at most, and one more only for a locale beside tags or consent', () => {
		fc.assert(
			fc.property(plans, ({ plan }) => {
				const saving = savingOf(plan);
				const needsPhone = ['tags', 'opt_in', 'consent_proof'].some((name) => name in plan.fields);
				if (needsPhone) {
					expect(saving).toMatchObject({ kind: 'post', body: { phone: plan.current?.phone } });
					expect(saving).toHaveProperty('locale', plan.fields.locale);
				} else {
					expect(saving.kind).toBe(Object.keys(plan.fields).length > 0 ? 'patch' : 'none');
					expect('body' in saving ? saving.body : {}).toEqual(plan.fields);
				}
			}),
		);
	});

	it('opts nobody in against an opt-out, and sends no proof then', () => {
		fc.assert(
			fc.property(plans, ({ given, current, run, plan }) => {
				const isBarred =
					given.opt_in === true && current.optInStatus === 'opted_out' && !run.optInOptedOut;
				expect(plan.keepsOptOut).toBe(isBarred);
				if (!isBarred) return;
				expect(plan.fields).not.toHaveProperty('opt_in');
				expect(plan.fields).not.toHaveProperty('consent_proof');
			}),
		);
	});

	it('sends a proof with the consent, or with other changes where none is given', () => {
		fc.assert(
			fc.property(plans, ({ given, plan }) => {
				const { consent_proof: proof, ...others } = plan.fields;
				const isDue =
					given.opt_in === undefined ? Object.keys(others).length > 0 : others.opt_in !== undefined;
				expect(proof).toBe(isDue ? given.consent_proof : undefined);
			}),
		);
	});

	it('removes tags only to match, only with the prefix, and only where some are given', () => {
		fc.assert(
			fc.property(plans, ({ given, current, run, plan }) => {
				const stored = current.tags;
				const mayRemove = run.tagMode === 'match' && given.tags !== undefined;
				expect(plan.extraTags).toEqual(
					stored.filter(
						(tag) => mayRemove && !given.tags?.includes(tag) && tag.startsWith(run.tagPrefix),
					),
				);
				expect(plan.extraTags).toEqual(findExtraTags(plan.desired, current, run));
			}),
		);
	});

	it('names what changes', () => {
		const record = { id: '1', phone: '1', name: 'a', attributes: { plan: 'x' }, tags: ['old'] };
		const current = readContact(record);
		const run = { optInOptedOut: false, tagMode: 'match', tagPrefix: '' } as const;
		const changed = (given: ContactFields) =>
			changedFields(planToChange(desiredOf(given), current, run));
		expect(changed({ attributes: { plan: 'y', city: 'z' }, name: 'b', tags: ['new'] })).toEqual([
			'name',
			'attributes.plan',
			'attributes.city',
			'tags',
		]);
		expect(changed({ tags: ['old', 'new'] })).toEqual(['tags']);
		expect(changed({ name: 'a', tags: ['other', 'old'].slice(1) })).toEqual([]);
		expect(changedFields({ fields: { name: 'b' }, extraTags: ['old'] })).toEqual(['name', 'tags']);
		expect(changed({ opt_in: true, consent_proof: 'Form', locale: 'de' })).toEqual([
			'locale',
			'opt_in',
			'consent_proof',
		]);
	});

	it.each([
		[['vip', 'old'], 'unchanged'],
		[['vip'], 'updated'],
		[['vip', 'old', 'new'], 'updated'],
	])('is an update where tags come or go: %j', (tags, expected) => {
		const current = readContact({ id: '1', tags: ['vip', 'old'] });
		const run = { optInOptedOut: false, tagMode: 'match', tagPrefix: '' } as const;
		expect(plannedAction(planToChange(desiredOf({ tags }), current, run))).toBe(expected);
	});

	it('reads a record that lacks fields, or has others than expected, as one without them', () => {
		const given = { name: 'a', attributes: { plan: 'x' }, tags: ['vip'], opt_in: false };
		const strange = [
			{ attributes: null, tags: null },
			{ attributes: [], tags: {}, phone: null },
		];
		for (const current of [{}, ...strange].map(readContact)) {
			const run = { optInOptedOut: false, tagMode: 'match', tagPrefix: '' } as const;
			const plan = planToChange(desiredOf(given), current, run);
			expect(plan.fields).toEqual(given);
			expect(savingOf(plan)).toMatchObject({ body: { phone: '+4915123456789' } });
		}
	});

	it('shows the contact as it will be', () => {
		fc.assert(
			fc.property(plans, ({ plan, current }) => {
				const unsure = ['opt_in_status', 'consent_proof'];
				const { record } = asPlanned(plan);
				expect(without(record, ...unsure)).toEqual(without(carriedOut(plan).record, ...unsure));
				expect(asPlanned(plan).optInStatus).toBe(current.optInStatus);
			}),
		);
	});
});

describe('the plan for a contact of which nothing is known', () => {
	it('sends all that is given', () => {
		fc.assert(
			fc.property(fields, (given) => {
				const plan = planToSave(desiredOf(given));
				expect(plan.fields).toEqual(given);
				expect(plan.extraTags).toEqual([]);
				expect(plan.keepsOptOut).toBe(false);
				expect(plannedAction(plan)).toBe('created');
				const { locale, ...body } = plan.fields;
				expect(savingOf(plan)).toStrictEqual({
					kind: 'post',
					body: { phone: '+4915123456789', ...body },
					locale,
				});
			}),
		);
	});

	it('names the country only where the service is to read the number', () => {
		const desired: DesiredContact = {
			...{ phone: '0199 123456', country: 'DE', fields: {} },
			items: [0],
		};
		expect(savingOf(planToSave(desired))).toMatchObject({
			body: { phone: '0199 123456', default_country: 'DE' },
		});
	});
});

describe('the plan for a contact by what the CRM has under its number', () => {
	it('is to save it where there is none, and to change it where there is one', () => {
		fc.assert(
			fc.property(fields, contact, rules, (given, current, run) => {
				const desired = desiredOf(given);
				expect(planFor(desired, [], run)).toEqual(planToSave(desired));
				expect(planFor(desired, [current], run)).toEqual(planToChange(desired, current, run));
			}),
		);
	});

	it('is to do nothing where there are several, and to say which', () => {
		fc.assert(
			fc.property(fields, contact, rules, (given, current, run) => {
				const desired = desiredOf(given);
				const { problem, ...plan } = planFor(desired, [current, { ...current, id: 'b' }], run);
				expect(plan).toEqual({ desired, fields: {}, extraTags: [], keepsOptOut: false });
				expect(problem?.message).toBe('2 contacts have the phone number +4915123456789');
				expect(problem?.remedy).toBe(
					"Delete all but one of them, or give the ID of the right one in the column 'Contact ID'. Their IDs: id, b. Nothing was done.",
				);
			}),
		);
	});

	it('is not to change consent where the contact has no number to do it with', () => {
		const current = readContact({ id: 'id' });
		const run = { optInOptedOut: false, tagMode: 'add', tagPrefix: '' } as const;
		const plan = (given: ContactFields) =>
			planFor({ ...desiredOf(given), contact: current }, [], run);
		const { problem, ...rest } = plan({ name: 'Anna', opt_in: true });
		expect(rest).toMatchObject({ fields: {}, extraTags: [], keepsOptOut: false });
		expect([problem?.message, problem?.remedy]).toEqual([
			'This contact has no phone number, so its consent cannot be changed',
			"The service takes 'Opt In' and 'Consent Proof' only with a phone number. Nothing was done.",
		]);
		expect(plan({ name: 'Anna' })).toMatchObject({ fields: { name: 'Anna' } });
		expect(plan({ name: 'Anna' }).problem).toBeUndefined();
	});
});

describe('consent', () => {
	it('is all that is left out of fields without it', () => {
		fc.assert(
			fc.property(fields, (given) => {
				expect(withoutConsent(given)).toEqual(without(given, 'opt_in', 'consent_proof'));
			}),
		);
	});

	it('is barred only where it is given, and those who opted out may not be opted in', () => {
		const run = { tagMode: 'add', tagPrefix: '' } as const;
		const isBarred = (opt_in: boolean | undefined, optInOptedOut: boolean) =>
			isOptInBarred({ opt_in }, { ...run, optInOptedOut });
		expect([true, false, undefined].map((each) => isBarred(each, false))).toEqual([
			true,
			false,
			false,
		]);
		expect([true, false, undefined].map((each) => isBarred(each, true))).toEqual([
			false,
			false,
			false,
		]);
	});
});

test('a contact has all tags that are given where each is there in exactly this form', () => {
	const has = (given: string[] | undefined, tags: unknown) =>
		hasAllTags(desiredOf({ tags: given }), readContact({ tags } as WireRecord));
	expect(has(['vip'], ['new', 'vip'])).toBe(true);
	expect(has(undefined, ['vip'])).toBe(true);
	expect(has(['vip', 'new'], ['vip'])).toBe(false);
	expect(has(['vip'], ['VIP'])).toBe(false);
	expect(has(['vip'], null)).toBe(false);
});

test('a contact that is new will have what is given, and its phone', () => {
	const plan = planToSave(desiredOf({ name: 'a', tags: ['vip'], opt_in: true }));
	expect(asPlanned(plan).record).toEqual({
		phone: '+4915123456789',
		name: 'a',
		attributes: {},
		tags: ['vip'],
	});
});
