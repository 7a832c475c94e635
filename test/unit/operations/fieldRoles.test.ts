import type { Field } from '../../../nodes/WorkspaceCrm/operations/fieldKinds';
import { resources } from '../../../nodes/WorkspaceCrm/resources';

type Role = NonNullable<Field['role']> | 'guards per run';

const list = { returnAll: 'guards', limit: 'guards' } as const;
const body = { 'options.body': 'adds', 'options.bodyMode': 'guards' } as const;

/**
 * What becomes of a field whose expression gives nothing: an error for what narrows or guards what
 * is done, nothing at all for what adds something. A new field has to be entered here by hand.
 */
const roles: Record<string, Record<string, Role>> = {
	'automation enroll': { automationId: 'guards', contactId: 'guards', ...body },
	'automation getAll': list,
	'contact delete': { contactId: 'guards' },
	'contact get': { contactId: 'guards' },
	'contact getAll': {
		...list,
		'filters.optInStatus': 'filters',
		'filters.search': 'filters',
		'filters.tag': 'filters',
	},
	'contact sync': {
		columns: 'guards',
		'options.attributes': 'adds',
		'options.attributesJson': 'adds',
		'options.defaultCountry': 'guards',
		'options.dryRun': 'guards per run',
		'options.missing': 'guards per run',
		'options.optInOptedOut': 'guards per run',
		'options.otherColumns': 'guards per run',
		'options.stopAtFirstProblem': 'guards per run',
		'options.tagMode': 'guards per run',
		'options.tagPrefix': 'guards per run',
	},
	'contact update': {
		contactId: 'guards',
		'updateFields.attributes': 'adds',
		'updateFields.attributesJson': 'adds',
		'updateFields.locale': 'adds',
		'updateFields.name': 'adds',
		'updateFields.source': 'adds',
	},
	'contact upsert': {
		phone: 'guards',
		'additionalFields.attributes': 'adds',
		'additionalFields.attributesJson': 'adds',
		'additionalFields.consentProof': 'adds',
		'additionalFields.defaultCountry': 'guards',
		'additionalFields.knownTags': 'adds',
		'additionalFields.locale': 'adds',
		'additionalFields.name': 'adds',
		'additionalFields.optIn': 'adds',
		'additionalFields.source': 'adds',
		'additionalFields.tags': 'adds',
		'options.normalizePhone': 'guards',
	},
	'eventType getAll': list,
	'message sendTemplate': {
		contactId: 'guards',
		template: 'guards',
		templateVariables: 'adds',
		variables: 'adds',
		...body,
	},
	'segment getAll': list,
	'segment getContacts': { segmentId: 'guards', ...list },
	'subscription create': {
		url: 'guards',
		events: 'guards',
		'options.includeSecret': 'guards',
	},
	'subscription delete': { subscriptionId: 'guards' },
	'subscription getAll': list,
	'tag add': { contactId: 'guards', knownTags: 'adds', tags: 'adds' },
	'tag getAll': list,
	'tag remove': { contactId: 'guards', knownTags: 'guards', tags: 'guards' },
	'template getAll': list,
	'workspace get': {},
};

function rolesOf(fields: readonly Field[], prefix = ''): Array<[string, Role]> {
	return fields.flatMap((field): Array<[string, Role]> => {
		const { name, type, role = 'guards', perRun } = field;
		const path = `${prefix}${name}`;
		if (type !== 'collection') return [[path, perRun ? (`${role} per run` as Role) : role]];
		const options = field.options as readonly Field[];
		return rolesOf(
			options.map((option) => ({ role, perRun, ...option })),
			`${path}.`,
		);
	});
}

const actual = resources.flatMap((resource) =>
	resource.operations.map(({ value, fields }) => [`${resource.value} ${value}`, fields] as const),
);

test.each(actual)('%s: what each field is for', (operation, fields) => {
	expect(Object.fromEntries(rolesOf(fields))).toEqual(roles[operation]);
});

test('no operation is missing', () => {
	expect(Object.keys(roles).sort()).toEqual(actual.map(([operation]) => operation).sort());
});
