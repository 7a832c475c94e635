/** A feature that can be taken out: what goes with it, and where else it is named. */
export interface Feature {
	name: string;
	/** Globs of files; each names at least one. */
	remove: string[];
	/** By file, the names of its parts that go: see `removeParts`. */
	parts: Record<string, string[]>;
}

const SOURCE = 'nodes/WorkspaceCrm';
const REGISTRY = `${SOURCE}/resources/index.ts`;

/** A picture of all operations. */
const NODE_PANEL = 'docs/images/node-panel.json';

export const features: Feature[] = [
	{
		name: 'sync',
		remove: [
			`${SOURCE}/resources/contact/sync/**`,
			`${SOURCE}/__schema__/*/contact/sync.json`,
			'docs/sync.md',
			'docs/images/contact-sync.*',
			'examples/*-sync.json',
			'examples/two-way-google-sheet.json',
			'test/**/contact/sync/**',
			'tools/bench/syncNode.ts',
			'tools/bench/tables/sync.ts',
			'tools/browser/pictures/contactSync.ts',
			'tools/queue/sharedKey.ts',
		],
		parts: {
			[REGISTRY]: ['sync', 'getContactColumns'],
			[NODE_PANEL]: ['Sync contacts'],
			'scripts/bundle.mjs': ['resources/contact/sync/*'],
			'stryker.config.mjs': ['resources/contact/sync/*'],
			'tools/bench/main.ts': ['Table 3: sync'],
			'tools/demo/tour.ts': ['sync'],
			'tools/queue/main.ts': ['Two workers with one API key'],
		},
	},
	{
		name: 'campaign',
		remove: [
			`${SOURCE}/resources/message/campaign/**`,
			`${SOURCE}/__schema__/*/message/sendCampaign.json`,
			'docs/campaigns.md',
			'docs/images/send-campaign.*',
			'examples/*campaign*.json',
			'examples/ask-many.json',
			'test/**/message/campaign/**',
			'tools/browser/pictures/sendCampaign.ts',
		],
		parts: {
			[REGISTRY]: ['sendCampaign'],
			[NODE_PANEL]: ['Send campaign to contacts of the input'],
			'scripts/bundle.mjs': ['resources/message/campaign/*'],
			'tools/browser/tour.ts': ['send-campaign'],
		},
	},
	{
		name: 'ask',
		remove: [
			`${SOURCE}/resources/message/ask/**`,
			`${SOURCE}/__schema__/*/message/sendAndWait.json`,
			`${SOURCE}/n8n/waitingExecution.ts`,
			'docs/ask.md',
			'docs/images/approve-agent.*',
			'docs/images/ask-and-wait.*',
			'examples/approve-agent.json',
			'examples/ask-and-go-on.json',
			'test/**/message/ask/**',
			'test/unit/n8n/waitingExecution.test.ts',
			'tools/browser/pictures/approveAgent.ts',
			'tools/browser/pictures/askAndWait.ts',
			'tools/n8n/waits.ts',
			'tools/queue/waits.ts',
		],
		parts: {
			[REGISTRY]: ['sendAndWait'],
			[NODE_PANEL]: ['Send template and wait for response'],
			'scripts/bundle.mjs': ['resources/message/ask/*', 'n8n/waitingExecution'],
			'stryker.config.mjs': ['resources/message/ask/*'],
			'tools/queue/main.ts': ['Waits'],
		},
	},
	{
		name: 'changes',
		remove: [
			`${SOURCE}/changes/**`,
			`${SOURCE}/n8n/polling.ts`,
			`${SOURCE}/WorkspaceCrmChangesTrigger.*`,
			'docs/changes.md',
			'docs/images/changes-trigger.*',
			'examples/entered-segment.json',
			'examples/two-way-google-sheet.json',
			'test/**/changes/**',
			'test/n8n/contact/sync/withChanges/**',
			'tools/browser/pictures/changesTrigger.ts',
			'tools/n8n/changesNode.ts',
		],
		parts: {
			'package.json': ['dist/nodes/WorkspaceCrm/WorkspaceCrmChangesTrigger.node.js'],
			'scripts/bundle.mjs': ['changes/*'],
			[`${SOURCE}/WorkspaceCrm.node.ts`]: ['n8n-nodes-workspace-crm.workspaceCrmChangesTrigger'],
		},
	},
];
