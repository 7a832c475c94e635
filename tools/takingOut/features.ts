/** A file, a text that it has once, and what replaces it: by default, nothing. */
export type Edit = [file: string, old: string, replacement?: string];

/** A feature that can be taken out: what goes with it, and where else it is named. */
export interface Feature {
	name: string;
	/** Globs of files; each names at least one. */
	remove: string[];
	/** By file, the names of its parts that go: see `removeParts`. */
	parts: Record<string, string[]>;
	edits?: Edit[];
}

const SOURCE = 'nodes/WorkspaceCrm';
const REGISTRY = `${SOURCE}/resources/index.ts`;

export const features: Feature[] = [
	{
		name: 'sync',
		remove: [
			`${SOURCE}/resources/contact/sync/**`,
			`${SOURCE}/__schema__/*/contact/sync.json`,
			'docs/sync.md',
			'docs/images/contact-sync.webp',
			'examples/*-sync.json',
			'examples/two-way-google-sheet.json',
			'test/**/contactSync*',
			'test/workflow/syncNode.ts',
			'test/unit/resources/syncContacts.test.ts',
			'tools/bench/tables/sync.ts',
			'tools/queue/sharedKey.ts',
		],
		parts: {
			[REGISTRY]: ['sync'],
			'docs/images/labels.json': ['contact-sync', 'Sync contacts'],
			'test/operationCases.ts': ['contact sync'],
			'test/unit/longTexts.test.ts': [
				'changedAttributes',
				'changedAttributes, *',
				'planChanges',
				'summarize',
			],
			'test/unit/operations/hints.test.ts': [
				'hint at how a sync matches columns, and where others go',
			],
			'test/workflow/emptyExpressions.test.ts': [
				'names the other readable columns of its row',
				'the columns of a sync',
				'the settings of a sync',
			],
			'test/workflow/errors.test.ts': ['nothing if all items succeeded'],
			'test/workflow/expressionPlaces.test.ts': [
				'cells that are mapped automatically are sent as they are',
			],
			'test/workflow/hostileJson.test.ts': ['contact sync'],
			'test/workflow/hostileTexts.test.ts': [
				'is plain in the summary of a sync',
				'is plain in the columns of a sync, whose IDs stay unchanged',
			],
			'test/workflow/manyItems.test.ts': ['fed back into a sync, their errors *'],
			'test/workflow/meant.test.ts': [
				'in a sync, in %s',
				'contact sync',
				'values of attributes are compared as names are',
				'the tags %j are %j',
				'an expression that n8n cannot evaluate names its column, and the summary counts it',
			],
			'test/workflow/mistakes.ts': ['syncMistakes'],
			'test/workflow/oneContactModel.test.ts': ['checkSync'],
			'test/workflow/pinnedEvents.test.ts': ['two-way-google-sheet'],
			'test/workflow/progress.test.ts': ['Sync'],
			'test/workflow/retries.test.ts': ['is the same if the clock is set an hour %s during it'],
			'test/workflow/sameNumber.test.ts': [
				'among many rows that are not looked up',
				'an opted-out contact whose number has no country code',
				'rows of a contact %s that disagree on its consent are an error',
				'a proof that needs a request of its own',
				'in a run with the options %j',
				'the list of opted-out contacts shows who opted out, even without the field',
			],
			'test/workflow/sameTexts.test.ts': [
				'a sync changes nothing where only the spelling differs',
				'Match keeps the tag %s, *',
				'a column in the other encoding is the attribute that the contact has',
				'a cell "null" of an export is nothing, *',
				'an invisible style character makes no other tag',
			],
			'test/workflow/storedNumbers.test.ts': [
				'checkSync',
				'does not opt in %s by %s',
				'does not list %s as missing beside %s',
				'an opted-out contact whose number cannot be compared',
				'is found by a sync of %d rows',
			],
			'test/workflow/tag.test.ts': ['sync'],
			'test/workflow/tool.test.ts': ['Dry Run', 'the model reads why a sync of one contact failed'],
			'test/workflow/values.test.ts': [
				'in a column that is not used, anything is no matter',
				'in the column %s, the error of a sheet is refused, and nothing is sent',
			],
			'test/workflow/workspaces.test.ts': [
				'Sync and campaigns run once for each workspace, and say which summary is whose',
				'the options of a workspace are those of its first item',
				'two ways to write a credential are one workspace',
			],
			'test/browser/editor.test.ts': ['a sync offers the columns of contacts, *'],
			'test/browser/hostileTexts.ts': [
				'in the columns of a sync',
				'in the notice that explains why there are no columns',
				'in a hint above the output',
			],
			'test/n8n/agents.test.ts': ['Sync'],
			'test/n8n/examples.test.ts': [
				'scheduled-sync.json: *',
				'google-sheet-sync.json: *',
				'two-way-google-sheet.json: *',
			],
			'test/n8n/faults.test.ts': ['contact sync*'],
			'tools/bench/main.ts': ['Table 3: sync'],
			'tools/bench/nodes.ts': ['ourSync'],
			'tools/browser/screenshots.ts': ['contact-sync'],
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
			'docs/images/send-campaign.webp',
			'examples/*campaign*.json',
			'examples/ask-many.json',
			'test/**/campaign*',
			'test/workflow/askMany.test.ts',
		],
		parts: {
			[REGISTRY]: ['sendCampaign'],
			'docs/images/labels.json': ['send-campaign', 'Send campaign to many contacts'],
			'test/operationCases.ts': ['message sendCampaign'],
			'test/unit/contract.test.ts': ['sendCampaign'],
			'test/workflow/mistakes.ts': ['Send Campaign: *'],
			'test/workflow/oneContactModel.test.ts': ['checkCampaign'],
			'test/workflow/pinnedEvents.test.ts': ['ask-many'],
			'test/workflow/progress.test.ts': ['Send Campaign'],
			'test/workflow/sameNumber.test.ts': [
				'gets one message of a campaign, *',
				'a campaign that revokes its mark',
			],
			'test/workflow/storedNumbers.test.ts': [
				'checkCampaign',
				'sends %s and %s one message of a campaign',
				'of the contacts of one subscriber, in a campaign',
			],
			'test/workflow/templateCheck.test.ts': [
				'a campaign *',
				'nobody gets or is marked for a message with a blank variable',
			],
			'test/workflow/tool.test.ts': ['a campaign'],
			'test/browser/editor.test.ts': [
				'on an empty canvas, and again when the node is opened',
				'a blank variable, or one typed as fixed text, *',
				'Send Campaign is in the list of operations, *',
			],
			'test/n8n/examples.test.ts': [
				'send-campaign.json: *',
				'campaign-in-business-hours.json: *',
				'ask-many.json: *',
			],
			'test/n8n/faults.test.ts': ['message sendCampaign*'],
			'tools/browser/screenshots.ts': ['send-campaign'],
			'tools/browser/tour.ts': ['send-campaign'],
		},
		edits: [['test/workflow/tomorrow.test.ts', "import './campaignTomorrow';\n"]],
	},
	{
		name: 'ask',
		remove: [
			`${SOURCE}/resources/message/ask/**`,
			`${SOURCE}/__schema__/*/message/sendAndWait.json`,
			`${SOURCE}/n8n/waitingExecution.ts`,
			'docs/ask.md',
			'docs/images/approve-agent.webp',
			'docs/images/ask-and-wait.webp',
			'examples/approve-agent.json',
			'examples/ask-and-go-on.json',
			'test/**/sendAndWait*',
			'test/unit/n8n/waitingExecution.test.ts',
			'test/unit/resources/message/ask/**',
			'test/workflow/openQuestions.test.ts',
			'test/workflow/questionsInARow.test.ts',
			'test/workflow/waitingNode.ts',
			'tools/queue/waits.ts',
		],
		parts: {
			[REGISTRY]: ['sendAndWait'],
			'docs/images/labels.json': [
				'ask-and-wait',
				'approve-agent',
				'Send template and wait for response',
			],
			'test/operationCases.ts': ['message sendAndWait'],
			'test/unit/contract.test.ts': ['sendAndWait'],
			'test/unit/longTexts.test.ts': ['isApproval', 'isApproval, as word'],
			'test/workflow/sameTexts.test.ts': ['approval words'],
			'test/browser/editor.test.ts': [
				'sendAndWait',
				'a workflow that waits for a reply says so, and continues with it',
			],
			'test/n8n/agents.test.ts': [
				'can ask a contact and wait for the reply only in version 3',
				'a person who has to approve a tool call',
			],
			'test/n8n/examples.test.ts': ['ask-and-go-on.json: *', 'approve-agent.json: *'],
			'test/n8n/faults.test.ts': ['message sendAndWait*'],
			'tools/browser/screenshots.ts': ['ask-and-wait', 'approve-agent'],
			'tools/queue/main.ts': ['Waits'],
		},
		edits: [['test/workflow/tomorrow.test.ts', "import './sendAndWaitTomorrow';\n"]],
	},
	{
		name: 'changes',
		remove: [
			`${SOURCE}/changes/**`,
			`${SOURCE}/WorkspaceCrmChangesTrigger.*`,
			'docs/changes.md',
			'docs/images/changes-trigger.webp',
			'examples/entered-segment.json',
			'examples/two-way-google-sheet.json',
			'test/**/changes*',
			'test/unit/changes/**',
			'test/workflow/pollHost.ts',
		],
		parts: {
			'package.json': ['dist/nodes/WorkspaceCrm/WorkspaceCrmChangesTrigger.node.js'],
			[`${SOURCE}/WorkspaceCrm.node.ts`]: ['n8n-nodes-workspace-crm.workspaceCrmChangesTrigger'],
			'docs/images/labels.json': ['changes-trigger'],
			'test/unit/longTexts.test.ts': ['digest'],
			'test/workflow/decryptions.test.ts': ['a poll of many pages decrypts it once, *'],
			'test/workflow/pinnedEvents.test.ts': [
				'entered-segment',
				'two-way-google-sheet',
				'workspaceCrmChangesTrigger',
			],
			'test/workflow/workspaces.test.ts': ['in a poll: %s'],
			'test/n8n/whileChanged.test.ts': [
				'an event of a poll that takes 8 seconds *',
				'a poll that ends while the database is locked: *',
			],
			'test/n8n/examples.test.ts': ['entered-segment.json: *', 'two-way-google-sheet.json: *'],
			'tools/browser/screenshots.ts': ['changes-trigger'],
			'tools/compat/checkVersion.ts': ['workspaceCrmChangesTrigger'],
		},
		edits: [['test/workflow/tomorrow.test.ts', "import './changesTomorrow';\n"]],
	},
];
