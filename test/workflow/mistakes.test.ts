import type { NodeApiError } from 'n8n-workflow';

import { fs, process } from '../support/platform';
import { mistakes, type Mistake } from './mistakes';
import { runNode } from './runNode';
import { patientRuntime, useSandbox } from './support';

const PAGE = 'docs/errors.md';

const sandbox = useSandbox();

/** What n8n shows: the toast, and below it, in the node's panel, what to do. */
async function shownFor({ parameters, items, prepare, credential }: Mistake) {
	sandbox.reset();
	prepare?.(sandbox);
	const { runtime } = patientRuntime();
	const run = async () => await runNode(sandbox, { parameters, items, credential, runtime });
	const { error } = await run().catch((error: Error) => ({ error }));
	if (!error) throw new Error('The node reported success');
	const [, issue] = /^The 'CRM' node has issues:\s*- (.*)/s.exec(error.message) ?? [];
	// n8n looks at what is typed before it runs a node.
	if (issue) return { toast: 'n8n marks the field, and does not run the node', panel: issue };
	return { toast: error.message, panel: (error as NodeApiError).description ?? '' };
}

const cell = (text: string) =>
	text
		.replaceAll(sandbox.url, 'https://crm.example.com')
		.replaceAll('|', '\\|')
		.replace(/[<{]/g, '\\$&');

async function page(): Promise<string> {
	const lines: string[] = [];
	for (const mistake of mistakes) {
		const { toast, panel } = await shownFor(mistake);
		expect(toast.length).toBeLessThan(160);
		expect(toast).not.toMatch(/current state|a value\b/);
		expect(panel.length).toBeGreaterThan(20);
		lines.push(`| ${[mistake.what, toast, panel, mistake.next].map(cell).join(' | ')} |`);
	}
	return [
		'# Errors, and what to do',
		'',
		`The ${mistakes.length} mistakes that people are most likely to make. The toast is what n8n shows at once; the text below it is in the node's panel, with what to do next.`,
		'',
		"Each was made in n8n's own engine. `npx jest mistakes` compares this page with what the node says; with `UPDATE_DOCS=1` it writes the page.",
		'',
		'| What you did | The toast | In the panel | What to do |',
		'| --- | --- | --- | --- |',
		...lines,
		'',
	].join('\n');
}

test('docs/errors.md has what the node says to each mistake', async () => {
	const text = await page();
	if (process.env.UPDATE_DOCS) fs.writeFileSync(PAGE, text);
	expect(fs.readFileSync(PAGE, 'utf8')).toBe(text);
}, 120_000);
