import type { NodeApiError } from 'n8n-workflow';

import { withSection } from '../../tools/support/docs';
import { fs, process } from '../../tools/support/platform';
import type { Mistake } from './mistake';
import { mistakes } from './mistakes';
import { runNode } from '../../tools/engine/runNode';
import { patientRuntime, useSandbox } from './support';

const PAGE = 'docs/errors.md';
const SHOWN = 'test/workflow/mistakes.json';

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

const inMarkdown = (text: string) => text.replace(/[<{]/g, '\\$&');

/** All titles with their details, and for the page the titles that do not name the cause. */
async function quoted() {
	const titles: string[] = [];
	const shown: Record<string, string> = {};
	for (const mistake of mistakes) {
		const { toast, panel } = await shownFor(mistake);
		expect(toast.length).toBeLessThan(160);
		expect(toast).not.toMatch(/current state|a value\b/);
		expect(panel.length).toBeGreaterThan(20);
		if (mistake.isUnclear) titles.push(inMarkdown(`- **${toast}**: ${mistake.what}`));
		shown[mistake.what] = `${toast}\n${panel}`.replaceAll(sandbox.url, 'https://crm.example.com');
	}
	return { titles, shown };
}

test('docs/errors.md names the causes of unclear errors, and all errors say what to do', async () => {
	const { titles, shown } = await quoted();
	const page = withSection(PAGE, 'mistakes', titles.join('\n'));
	if (process.env.UPDATE_DOCS) {
		fs.writeFileSync(PAGE, page);
		fs.writeFileSync(SHOWN, `${JSON.stringify(shown, null, '\t')}\n`);
	}
	expect(fs.readFileSync(PAGE, 'utf8')).toBe(page);
	expect(JSON.parse(fs.readFileSync(SHOWN, 'utf8'))).toEqual(shown);
}, 120_000);
