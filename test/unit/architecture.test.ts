import ts from 'typescript';

import { repositoryFolder } from '../../tools/n8n/paths';
import { fs, path } from '../../tools/support/platform';

const source = path.join(repositoryFolder, 'nodes/WorkspaceCrm');

/** Each room may import those after it. */
const ROOMS = [
	'',
	'changes',
	'resources',
	'editor',
	'events',
	'operations',
	'n8n',
	'crm',
	'domain',
];

const files = fs
	.readdirSync(source, { recursive: true, encoding: 'utf8' })
	.filter((name) => name.endsWith('.ts'))
	.map((name) => name.split(path.sep).join('/'));

/** Our own files that a file imports. */
function importsOf(file: string): string[] {
	const text = fs.readFileSync(path.join(source, file), 'utf8');
	const named = [...text.matchAll(/\bfrom '(\.[^']+)'/g)].map(([, name]) => name);
	return named.map((name) => {
		const target = path.posix.join(path.posix.dirname(file), name);
		return files.includes(`${target}.ts`) ? `${target}.ts` : `${target}/index.ts`;
	});
}

const roomOf = (file: string) => (file.includes('/') ? file.split('/')[0] : '');
const graph = new Map(files.map((file) => [file, importsOf(file)]));

test('every file is in a known room', () => {
	expect(files.filter((file) => !ROOMS.includes(roomOf(file)))).toEqual([]);
	expect([...graph.values()].flat().filter((file) => !files.includes(file))).toEqual([]);
});

test('no room imports one above it', () => {
	const upward = [...graph].flatMap(([file, targets]) =>
		targets
			.filter((target) => ROOMS.indexOf(roomOf(target)) < ROOMS.indexOf(roomOf(file)))
			.map((target) => `${file} -> ${target}`),
	);
	expect(upward).toEqual([]);
});

test('no files import each other in a circle', () => {
	const done = new Set<string>();
	const circles: string[] = [];
	const visit = (file: string, way: string[]) => {
		if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' -> '));
		if (way.includes(file) || done.has(file)) return;
		for (const target of graph.get(file) ?? []) visit(target, [...way, file]);
		done.add(file);
	};
	for (const file of files) visit(file, []);
	expect(circles).toEqual([]);
});

/** What can be taken out of the package by itself, apart from its place in the registry. */
const FEATURES = [
	'resources/contact/sync/',
	'resources/message/campaign/',
	'resources/message/ask/',
	'changes/',
];
const REGISTRY = ['resources/index.ts', 'WorkspaceCrmChangesTrigger.node.ts'];

test('nothing imports a feature but the registry and the feature itself', () => {
	const users = [...graph].flatMap(([file, targets]) =>
		targets
			.filter((target) => {
				const feature = FEATURES.find((folder) => target.startsWith(folder));
				return feature !== undefined && !file.startsWith(feature) && !REGISTRY.includes(file);
			})
			.map((target) => `${file} -> ${target}`),
	);
	expect(users).toEqual([]);
});

test('domain imports nothing from other rooms', () => {
	const outside = [...graph].filter(([file]) => roomOf(file) === 'domain').flatMap(([, to]) => to);
	expect(outside.filter((file) => roomOf(file) !== 'domain')).toEqual([]);
});

test('the client and the rules have never heard of n8n', () => {
	const users = files.filter((file) => {
		const text = fs.readFileSync(path.join(source, file), 'utf8');
		return ['crm', 'domain'].includes(roomOf(file)) && /from '(n8n|@n8n)/.test(text);
	});
	expect(users).toEqual([]);
});

test('file names are unique, except in the folders of resources and for index.ts', () => {
	const names = files
		.filter((file) => !/^resources\/(\w+\/){0,2}\w+\.ts$/.test(file) && !file.endsWith('/index.ts'))
		.map((file) => path.posix.basename(file));
	expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test('subscriptions are deleted in one place, which asks whose they are, apart from the operation', () => {
	const deleting = files.filter((file) =>
		fs.readFileSync(path.join(source, file), 'utf8').includes('endpoints.deleteSubscription'),
	);
	expect(deleting.sort()).toEqual(['events/subscriptions.ts', 'resources/subscription.ts']);
});

/** The syntax of a file, without its comments. */
function nodesOf(file: string): ts.Node[] {
	const text = fs.readFileSync(path.join(repositoryFolder, file), 'utf8');
	const all: ts.Node[] = [];
	const visit = (node: ts.Node) => {
		all.push(node);
		node.forEachChild(visit);
	};
	visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
	return all;
}

const shipped = [
	...files.map((file) => `nodes/WorkspaceCrm/${file}`),
	'credentials/WorkspaceCrmApi.credentials.ts',
];

test('only crm/endpoints.ts names a path of the service', () => {
	const naming = shipped.filter((file) =>
		nodesOf(file).some((node) => {
			const isText = ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node);
			return isText && node.text.includes('/v1/');
		}),
	);
	expect(naming).toEqual(['nodes/WorkspaceCrm/crm/endpoints.ts']);
});

/** Code that reads the time, waits or draws a random number, and that tests could not replace. */
const AMBIENT =
	/^(new )?Date(\(\))?$|^(Date\.now|performance\.\w+|Math\.random|sleep|AbortSignal\.timeout)\(/;

test('time, chance and waiting come from the Clock', () => {
	const users = shipped.filter((file) =>
		nodesOf(file).some((node) => {
			const isUse = ts.isCallExpression(node) || ts.isNewExpression(node);
			return isUse && AMBIENT.test(node.getText());
		}),
	);
	expect(users).toEqual(['nodes/WorkspaceCrm/n8n/systemClock.ts']);
});
