import type { INodeProperties, INodePropertyCollection, INodeTypeDescription } from 'n8n-workflow';

import { nodeWays, tryAll, type Findings } from './key/all';
import { fields } from './key/fields';
import { looks } from './key/looks';
import { toolWays } from './key/tools';
import { allVersions } from './key/ways';

/** The page about it is written by `npm run test:key`. */
let findings: Findings;

beforeAll(async () => {
	findings = await tryAll();
}, 900_000);

const ways = Object.entries({ ...nodeWays, ...toolWays }).flatMap(([group, all]) =>
	all.map((way) => ({ group, title: way.title, way })),
);

test.each(ways)('$group: $title', ({ group, title, way }) => {
	const outcomes = findings.outcomes[group].filter((outcome) => outcome.title === title);
	expect(outcomes.map(({ version }) => version)).toEqual(way.versions ?? allVersions);
	for (const { isStolen, isShown, isServed, error, wellItems } of outcomes) {
		expect({ isStolen, isShown }).toEqual({ isStolen: false, isShown: false });
		if (way.expected === 'answered') expect([error, isServed]).toEqual([undefined, true]);
		else expect(error).toMatch(way.expected);
		// Of three items, the thief's alone is refused.
		if ('hasItems' in way && way.hasItems) expect([isServed, wellItems]).toEqual([true, 2]);
	}
});

test('no request that came to somebody else has the key in it', () => {
	expect(findings.loot).toEqual([]);
});

const thievish = [
	'Proxies',
	'Certificates',
	'Redirects',
	'Pagination',
	'Headers and methods',
	'URLs',
];
test.each([...thievish, 'Batches', 'HTTP Request 2', 'GraphQL'])(
	'the thief is a good one: a credential that looks at nothing loses its key by %s',
	(group) => {
		expect(findings.careless[group].some(({ isStolen }) => isStolen)).toBe(true);
	},
);

test('neither the data of n8n, nor its log, nor the editor gets the key', () => {
	expect(findings.stored.files).toBeGreaterThan(0);
	expect(findings.stored.found).toEqual([]);
	expect(findings.editor.heard).toContain('sendConsoleMessage');
	expect(findings.editor.hasKey).toBe(false);
});

test.each(looks)('what a workflow can read: $title', ({ title, isShown }) => {
	const outcomes = findings.looked.filter((look) => look.title === title);
	for (const outcome of outcomes) expect(outcome).toMatchObject({ isServed: true, isShown });
});

test("n8n's test of the credential reaches the service, below its path too, and nobody else", () => {
	const { impersonated, ...others } = findings.tests;
	const fine = { status: 'OK', message: 'Connection successful!' };
	expect(others).toEqual({ bearer: fine, xApiKey: fine, secure: fine, path: fine });
	expect(impersonated.status).toBe('Error');
});

test('no field of HTTP Request is left out', () => {
	const described = (findings.types as INodeTypeDescription[]).filter(
		({ name, version }) =>
			/^n8n-nodes-base\.httpRequest(Tool)?$/.test(name) && [version].flat().includes(4.5),
	);
	expect(described.length).toBeGreaterThan(0);
	const found = new Set(described.flatMap(({ properties }) => properties.flatMap(namesIn)));
	expect(fields.flatMap(({ names }) => names).sort()).toEqual([...found].sort());
});

/** The names of a field, and of all that are in it. */
function namesIn(field: INodeProperties | INodePropertyCollection): string[] {
	const nested =
		'values' in field
			? field.values
			: field.type === 'collection' || field.type === 'fixedCollection'
				? (field.options as Array<INodeProperties | INodePropertyCollection>)
				: undefined;
	if (!nested) return [field.name];
	return nested.flatMap(namesIn).map((name) => `${field.name}.${name}`);
}
