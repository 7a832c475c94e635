import { NodeHelpers, type INode, type INodeTypeDescription } from 'n8n-workflow';

import { fs, process } from '../../tools/support/platform';
import { nodes as ownNodes } from '../support/nodes';

const readme = fs.readFileSync('README.md', 'utf8');
const types = ownNodes.map(({ description }) => description);
const typeOf = (name: string) =>
	types.find((type) => `n8n-nodes-workspace-crm.${type.name}` === name);

const nodes = [...readme.matchAll(/^```json\n([^]*?)\n```$/gm)].map(
	([, json]) => JSON.parse(json) as Pick<INode, 'type' | 'typeVersion' | 'parameters'>,
);

test('the README names each node by its type', () => {
	for (const { name, displayName } of types) {
		expect(readme).toMatch(
			new RegExp(
				`^\\| \\[${displayName}\\]\\(\\S+\\) +\\| \`n8n-nodes-workspace-crm\\.${name}\` `,
				'm',
			),
		);
	}
});

/** n8n drops parameters that a node does not know, without a word. */
function knownOf(node: INode, type: INodeTypeDescription) {
	const { parameters } = node;
	return NodeHelpers.getNodeParameters(type.properties, parameters, true, false, node, type);
}

/** n8n adds these to our properties, for polling nodes and tools. */
const ADDED = ['pollTimes', 'descriptionType', 'toolDescription'];

const examples = fs.readdirSync('examples').filter((file) => file.endsWith('.json'));

test.each(examples)('the nodes of %s have only parameters that they know', (file) => {
	const { nodes: all } = JSON.parse(fs.readFileSync(`examples/${file}`, 'utf8')) as {
		nodes: INode[];
	};
	for (const node of all) {
		const type = typeOf(node.type.replace(/Tool$/, ''));
		const names = Object.keys(node.parameters).filter((name) => !ADDED.includes(name));
		const own = Object.fromEntries(names.map((name) => [name, node.parameters[name]]));
		if (type) expect(knownOf({ ...node, parameters: own }, type)).toMatchObject(own);
	}
});

test.each(nodes.map((node) => [node.type, node] as const))(
	'the smallest %s of the README is complete',
	(name, { typeVersion, parameters }) => {
		const type = typeOf(name);
		if (!type) throw new Error(`There is no ${name}`);
		expect([type.version].flat()).toContain(typeVersion);
		const node: INode = { id: '', name: '', type: name, typeVersion, position: [0, 0], parameters };
		const full = knownOf(node, type);
		const whole = { ...node, parameters: full ?? {} };
		expect(NodeHelpers.getNodeParametersIssues(type.properties, whole, type)).toBeNull();
		expect(full).toMatchObject(parameters);
	},
);

test('the README has a smallest action node and a smallest trigger', () => {
	expect(nodes).toHaveLength(2);
});

test('each promise of the README names its test', () => {
	const [, promises = ''] = /^## What you can rely on\n([^]*?)\n\[What is/m.exec(readme) ?? [];
	const each = promises.trim().split(/^- /m).filter(Boolean);
	expect(each.length).toBeGreaterThan(4);
	for (const promise of each) expect(promise).toMatch(/\(\[test\]\(test\/[\w/]+\.test\.ts\)\)/);
});

test('the badges of the README belong to workflows that exist', () => {
	const files = [...readme.matchAll(/\/actions\/workflows\/([\w-]+\.yml)/g)].map(
		([, file]) => file,
	);
	expect(new Set(files).size).toBe(2);
	for (const file of files) expect(fs.existsSync(`.github/workflows/${file}`)).toBe(true);
});

test('the pages know how many examples there are', () => {
	const count = fs.readdirSync('examples').filter((file) => file.endsWith('.json')).length;
	const pages: Array<[string, RegExp]> = [
		['README.md', /(?<=\[All )\d+(?= examples\]\(examples\/README\.md\))/],
		['docs/try-it.md', /(?<=the )\d+(?= \[examples\])/],
	];
	for (const [page, number] of pages) {
		const text = fs.readFileSync(page, 'utf8');
		if (process.env.UPDATE_DOCS) fs.writeFileSync(page, text.replace(number, String(count)));
		expect(number.exec(fs.readFileSync(page, 'utf8'))?.[0]).toBe(String(count));
	}
});
