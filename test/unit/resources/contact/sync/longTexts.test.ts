import { readContact } from '../../../../../nodes/WorkspaceCrm/crm/records';
import {
	mapAutomatically,
	noPhoneColumn,
} from '../../../../../nodes/WorkspaceCrm/resources/contact/sync/automaticMapping';
import { wrongValue } from '../../../../../nodes/WorkspaceCrm/domain/inputProblem';
import { readNames } from '../../../../../nodes/WorkspaceCrm/domain/typedValues';
import { changedAttributes } from '../../../../../nodes/WorkspaceCrm/resources/contact/sync/attributes';
import { findMissing } from '../../../../../nodes/WorkspaceCrm/resources/contact/sync/missing';
import { planChanges } from '../../../../../nodes/WorkspaceCrm/resources/contact/sync/plannedChanges';
import { summarize } from '../../../../../nodes/WorkspaceCrm/resources/contact/sync/summary';
import { numbered, testLongTexts, testManyParts } from '../../../../support/longTextTests';

const contact = (parts: object) => readContact({ id: 'a', phone: '', ...parts });

testLongTexts({
	changedAttributes: (long) => [
		changedAttributes({ [long]: long }, { a: { b: long } }, true),
		changedAttributes({ [`${long}.0`]: 'a' }, { [long]: ['b'] }, true),
	],
	mapAutomatically: (long) =>
		mapAutomatically(['attributes.plan', `attributes.${long}`], 'attributes', [
			{ [long]: long },
		]).map({
			[long]: long,
			[`${long} `]: 1,
			phone: long,
		}),
	noPhoneColumn: (long) => noPhoneColumn([long]),
	planChanges: (long) => {
		const tags = readNames(long.replaceAll(' ', ','), 'Tags');
		const fields = { name: long, tags, attributes: { [long]: long } };
		const stored = {
			name: `${long} `,
			tags: tags.map((tag) => `${tag}2`),
			attributes: { b: long },
		};
		return planChanges({ rows: [], phone: '', fields } as never, contact(stored), {
			tagMode: 'match',
			tagPrefix: long,
		});
	},
	findMissing: (long) => {
		const unmentioned = [contact({ phone: '+4915123456781' })];
		const inputs = [{ [long]: [long] }];
		return findMissing({ rows: [], results: [], unmentioned, inputs, options: {} } as never);
	},
	summarize: (long) => {
		const rows = [{ item: 0, phone: '', fields: {} }];
		const results = [{ action: 'failed', error: wrongValue(long, long, long) } as const];
		const tags = [{ name: long, similar: long }];
		const run = {
			rows,
			inputs: [],
			results,
			unmentioned: [],
			inCrm: 0,
			options: {},
			requests: 1,
			newTags: tags,
		};
		const others = {
			ignored: new Set([long]),
			asAttributes: new Set([long]),
			partsOfName: [long],
			headings: new Map([[long, new Set([long])]]),
		};
		return summarize({ ...run, ...others }, []);
	},
});

testManyParts({
	changedAttributes: () => changedAttributes(numbered('k'), numbered('k'), true),
	'changedAttributes, invisible': () =>
		changedAttributes(numbered('k\u200b'), numbered('\u200bk'), true),
	'changedAttributes, paths': () =>
		changedAttributes(numbered('a.b.k'), { a: { b: numbered('k') } }, true),
	'changedAttributes, dots': () => changedAttributes(numbered('.'.repeat(90)), numbered('x'), true),
});
