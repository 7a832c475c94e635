import type { INode } from 'n8n-workflow';

import { UNLIMITED_WINDOW_MS } from '../bench/worker/job';
import { startTestbed, type Testbed } from '../n8n/testbed';
import type { Contact } from '../sandbox';
import { fs, path } from '../support/platform';

export const TAGS = ['customer', 'newsletter'];

/** A real n8n whose installed package makes nothing wait for the rate limit, and contacts to watch. */
export async function startChangesBed(
	contacts: number,
	env: Record<string, string>,
): Promise<{ bed: Testbed; contacts: Contact[] }> {
	const bed = await startTestbed({ env });
	const prepare = async () => {
		liftRateLimit(bed.userFolder);
		await bed.restart('stop');
		return { bed, contacts: addWatched(bed, contacts) };
	};
	return await prepare().catch(async (error: unknown) => {
		await bed.close();
		return await Promise.reject(error);
	});
}

/** In the installed package only. */
function liftRateLimit(userFolder: string): void {
	const file = path.join(
		userFolder,
		'.n8n/nodes/node_modules/n8n-nodes-workspace-crm/dist/nodes/WorkspaceCrm/workspaceCrm.js',
	);
	const source = fs.readFileSync(file, 'utf8');
	// as the bundle has it
	const rule = 'REFERENCE_RULE = { limit: 120, windowMs: 6e4 }';
	if (!source.includes(rule)) throw new Error(`${file} does not hold: ${rule}`);
	const lifted = rule.replace('6e4', String(UNLIMITED_WINDOW_MS));
	fs.writeFileSync(file, source.replace(rule, lifted));
}

/** Each is a second older than the next, so that a page holds the same contacts each time. */
function addWatched({ sandbox }: Testbed, count: number): Contact[] {
	const firstMs = Date.UTC(2025, 0, 1);
	return Array.from({ length: count }, (_, index) =>
		sandbox.store.addContact({
			phone: `+491511${String(index).padStart(7, '0')}`,
			name: `Contact ${index}`,
			locale: 'de_DE',
			source: 'import',
			opt_in_status: 'pending',
			tags: [...TAGS],
			attributes: { city: 'Berlin', plan: 'pro' },
			created_at: new Date(firstMs + index * 1_000).toISOString(),
		}),
	);
}

/** With all that can be watched of all contacts. */
export const WATCH_EVERYTHING: INode['parameters'] = {
	watch: 'all',
	events: ['consentChanged', 'entered', 'erased', 'tagAdded', 'tagRemoved', 'updated'],
	fields: ['attributes', 'last_inbound_at', 'locale', 'name', 'source'],
};
