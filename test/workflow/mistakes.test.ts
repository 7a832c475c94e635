import type { NodeApiError } from 'n8n-workflow';

import { withSection } from '../../tools/support/docs';
import { fs, process } from '../../tools/support/platform';
import { mistakes, type Mistake } from './mistakes';
import { runNode } from '../../tools/engine/runNode';
import { patientRuntime, useSandbox } from './support';

const PAGE = 'docs/errors.md';

const sandbox = useSandbox();

/** What n8n shows: the title in its toast, and the details below it in the node's panel. */
async function shownFor({ parameters, items, prepare, credential }: Mistake) {
	sandbox.reset();
	prepare?.(sandbox);
	const { runtime } = patientRuntime();
	const run = async () => await runNode(sandbox, { parameters, items, credential, runtime });
	const { error } = await run().catch((error: Error) => ({ error }));
	if (!error) throw new Error('The node reported success');
	const [, issue] = /^The 'CRM' node has issues:\s*- (.*)/s.exec(error.message) ?? [];
	// n8n checks typed values before it runs a node.
	if (issue) return { toast: 'n8n marks the field, and does not run the node', panel: issue };
	return { toast: error.message, panel: (error as NodeApiError).description ?? '' };
}

const MAX_WORDS = 75;

const inMarkdown = (text: string) =>
	text
		.split(' ')
		.flatMap((word, index) => (index < MAX_WORDS ? [word] : index === MAX_WORDS ? ['…'] : []))
		.join(' ')
		.replaceAll(sandbox.url, 'https://crm.example.com')
		.replace(/[<{]/g, '\\$&');

async function list(): Promise<string> {
	const lines: string[] = [];
	const said = new Map<string, string>();
	for (const mistake of mistakes) {
		const { toast, panel } = await shownFor(mistake);
		expect(toast.length).toBeLessThan(160);
		expect(toast).not.toMatch(/current state|a value\b/);
		expect(panel.length).toBeGreaterThan(20);
		const earlier = said.get(panel);
		said.set(panel, earlier ?? mistake.what);
		const details = earlier === undefined ? panel : `As for "${earlier}".`;
		const parts = [`- ${mistake.what}:`, `**${toast}**.`, details].map(inMarkdown);
		lines.push(parts.join(' '));
	}
	return lines.join('\n');
}

test('docs/errors.md quotes the errors of the most likely mistakes', async () => {
	const page = withSection(PAGE, 'mistakes', await list());
	if (process.env.UPDATE_DOCS) fs.writeFileSync(PAGE, page);
	expect(fs.readFileSync(PAGE, 'utf8')).toBe(page);
}, 120_000);
