import type { INodeType } from 'n8n-workflow';

import { fs } from '../../tools/support/platform';
import { nodes } from '../support/nodes';

/** The categories that n8n accepts for community nodes (lint rule `valid-node-categories`). */
const CATEGORIES = [
	'Analytics',
	'Communication',
	'Data & Storage',
	'Development',
	'Finance & Accounting',
	'Marketing & Content',
	'Miscellaneous',
	'Productivity',
	'Sales',
	'Utility',
];

interface Codex {
	node: string;
	nodeVersion: string;
	categories: string[];
	alias: string[];
}

const codexOf = ({ constructor }: INodeType) =>
	JSON.parse(fs.readFileSync(`nodes/WorkspaceCrm/${constructor.name}.node.json`, 'utf8')) as Codex;

describe.each(nodes.map((node) => [node.description.name, node] as const))(
	'codex of %s',
	(name, node) => {
		const codex = codexOf(node);

		test('is for this node, in its version', () => {
			expect(codex.node).toBe(`n8n-nodes-workspace-crm.${name}`);
			expect(Number(codex.nodeVersion)).toBe(node.description.version);
		});

		test('has categories that n8n accepts, and no subcategories', () => {
			expect(codex.categories.filter((category) => !CATEGORIES.includes(category))).toEqual([]);
			expect(codex.categories.length).toBeGreaterThan(0);
			expect(codex).not.toHaveProperty('subcategories');
		});

		test('has each alias once', () => {
			expect(new Set(codex.alias).size).toBe(codex.alias.length);
		});
	},
);

test.each([
	['WorkspaceCrm', ['Import contacts', 'Sync contacts', 'Bulk message', 'Send template']],
	['WorkspaceCrmTrigger', ['Message received', 'Incoming message', 'New contact']],
])('the node panel finds %s by what people want to do', (name, searches) => {
	const node = nodes.find(({ constructor }) => constructor.name === name);
	expect(node && codexOf(node).alias).toEqual(expect.arrayContaining(searches));
});
