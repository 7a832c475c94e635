import * as fc from 'fast-check';

import { endpoints, type Call } from '../../../nodes/WorkspaceCrm/crm/endpoints';
import { resources } from '../../../nodes/WorkspaceCrm/resources';
import { operationCases } from '../../operationCases';
import { anyCharacter } from '../../support/anyCharacter';

/** Texts that try to leave their segment, next to any other text. */
const tricks = ['%2e', '%2E%2e', '.%2e', '../..', '..\\', 'a/../../b', '__proto__', '?x=1', '#x'];
const text = fc
	.oneof(
		fc.string({ unit: anyCharacter, minLength: 1 }),
		fc.string({ unit: fc.constantFrom(...'/\\.%?#&;:@=+ \t\r\n\0\u007f2eE5cfFé😀'), minLength: 1 }),
		fc.constantFrom(...tricks),
	)
	.filter((value) => value !== '.' && value !== '..' && value.isWellFormed());

/** `workflow/paths` tests values that cannot be a segment. */
test('a path has each value in exactly one segment', () => {
	fc.assert(
		fc.property(text, text, fc.constantFrom('', '/crm'), (id, name, base) => {
			const { path } = endpoints.removeTag(id, name);
			const url = new URL(`https://crm.example.com${base}${path}`);
			expect(url.origin + url.search + url.hash).toBe('https://crm.example.com');
			const segments = url.pathname.slice(base.length).split('/');
			expect(segments).toEqual(['', 'v1', 'contacts', segments[3], 'tags', segments[5]]);
			expect([segments[3], segments[5]].map(decodeURIComponent)).toEqual([id, name]);
		}),
		{ numRuns: 1_000 },
	);
});

const table = Object.values(endpoints).map((endpoint) => {
	// One value for each place in the path; more are ignored.
	const call = (endpoint as (...values: string[]) => Call)('*', '*');
	return { ...call, name: `${call.method} ${call.path}` };
});

/** Messages, enrollments and subscriptions: a second one does harm (API reference, Endpoints). */
test('exactly these requests are never repeated once they may have taken effect', () => {
	expect(table.filter(({ once }) => once).map(({ name }) => name)).toEqual([
		'POST /v1/messages/template',
		'POST /v1/automations/*/enroll',
		'POST /v1/subscriptions',
	]);
	expect(table.filter(({ sendsMessage }) => sendsMessage).map(({ name }) => name)).toEqual([
		'POST /v1/messages/template',
	]);
});

const effects = resources.flatMap(({ value, operations }) =>
	operations.map((operation) => [`${value} ${operation.value}`, operation.effect] as const),
);

test.each(effects)('%s is %s, as are the endpoints that it may call', (name, effect) => {
	const { endpoints: main, alsoAsks = [] } = operationCases[name];
	const called = table.filter((each) => [...main, ...alsoAsks].includes(each.name));
	expect(called).not.toEqual([]);
	const isRead = called.every(({ method }) => method === 'GET');
	const isOnce = called.some(({ once }) => once);
	expect(effect).toBe(isOnce ? 'once' : isRead ? 'read' : 'idempotent');
});
