import { resources } from '../../nodes/WorkspaceCrm/resources';
import { contactItem, operationCases, usesFor } from '../operationCases';
import { operations } from '../support/operations';
import { fs, path, process } from '../../tools/support/platform';
import { FOLDER, PAGES, pageOf, resourcesPage, type Example, type Shown } from './operationPages';
import { runNode } from '../../tools/engine/runNode';
import { addContact, contactId, useSandbox } from './support';

const sandbox = useSandbox({ limiter: { kind: 'off' } });

const contact = { id: contactId, phone: '+4915123456789' };

/** Runs an operation for one item. */
async function runExample(resource: string, operation: string): Promise<Example> {
	if (operationCases[`${resource} ${operation}`].waits) return undefined;
	sandbox.reset();
	addContact(sandbox, {
		...contact,
		name: 'Anna Schmidt',
		tags: ['vip'],
		opt_in_status: 'confirmed',
	});
	sandbox.store.subscriptions.set('sub_0', {
		id: 'sub_0',
		url: 'https://n8n.example.com/webhook/crm',
		events: ['message.received'],
		secret: 'hidden',
		active: true,
		created_at: '2026-01-15T09:30:00Z',
	});
	const parameters = usesFor(contactItem(contact, 0))[`${resource} ${operation}`];
	const { json, error } = await runNode(sandbox, { parameters });
	if (error) throw error;
	return json;
}

/** Replaces IDs and times, which differ in each run. */
function steady(text: string): string {
	const ids = new Map<string, string>([[contactId, contactId]]);
	return text
		.replace(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
			const number = String(ids.size).padStart(12, '0');
			const known = ids.get(id) ?? `00000000-0000-4000-8000-${number}`;
			ids.set(id, known);
			return known;
		})
		.replace(/"20\d\d-\d\d-\d\dT[\d:.]+Z"/g, '"2026-01-15T09:30:00Z"')
		.replace(/"wamid\.[^"]+"/g, '"wamid.…"')
		.replaceAll(sandbox.url, 'https://crm.example.com');
}

test('docs/operations describes all operations', async () => {
	const examples = new Map<string, Example>();
	for (const { resource, operation } of operations) {
		examples.set(`${resource} ${operation}`, await runExample(resource, operation));
	}
	const shown: Shown = new Map();
	const pages = new Map(
		PAGES.map((file) => {
			const together = resources.filter((each) => pageOf(each) === file);
			return [file, resourcesPage(together, examples, shown)] as const;
		}),
	);
	if (process.env.UPDATE_DOCS) fs.mkdirSync(FOLDER, { recursive: true });
	for (const [file, text] of pages) {
		const target = path.join(FOLDER, file);
		const page = steady(text);
		if (process.env.UPDATE_DOCS) fs.writeFileSync(target, page);
		expect(fs.readFileSync(target, 'utf8')).toBe(page);
	}
	expect(fs.readdirSync(FOLDER).sort()).toEqual([...pages.keys()].sort());
}, 120_000);
