import { searchSecrets, type Search } from '../../faults/stored';
import { pemFile } from '../../workflow/connection/servers';
import type { N8nServer } from '../n8nServer';
import { startTestbed } from '../testbed';
import { openEditor } from './editor';
import { looks } from './looks';
import { loot, runWays, setUpScene, type Outcome, type Scene } from './run';
import { carries, formsOf, type Caught } from './thief';
import { runTools, toolWays } from './tools';
import { graphQlWays, httpRequestWays, olderWays, ownWays, type Way } from './ways';

/** What came of the ways, by what they try. */
export type Outcomes = Record<string, Outcome[]>;

export const nodeWays: Record<string, Way[]> = {
	...httpRequestWays,
	'HTTP Request 2': olderWays,
	GraphQL: graphQlWays,
	'Our own node': ownWays,
};

export interface Findings {
	outcomes: Outcomes;
	/** What comes of the same with a credential that looks at nothing. */
	careless: Outcomes;
	looked: Outcome[];
	/** Requests with the key in them that came to somebody else, whatever way they came. */
	loot: Caught[];
	/** All that n8n stored and logged. */
	stored: Search;
	/** What an open editor was told, and whether the key is in it. */
	editor: { heard: string; hasKey: boolean };
	/** What n8n's test of a credential says. */
	tests: Record<string, { status: string; message: string }>;
	/** All nodes, as n8n describes them. */
	types: unknown;
}

/** Tries everything in an n8n of its own. Expects `dist` to be built. */
export async function tryAll(): Promise<Findings> {
	const env = { NODE_EXTRA_CA_CERTS: pemFile('root'), N8N_PUSH_BACKEND: 'sse' };
	const bed = await startTestbed({ env });
	const { n8n } = bed;
	const scene = await setUpScene(n8n);
	const other = await setUpScene(n8n);
	const editor = await openEditor(n8n);
	try {
		const outcomes: Outcomes = {};
		const careless: Outcomes = {};
		for (const [group, ways] of Object.entries(nodeWays)) {
			outcomes[group] = await runWays(n8n, scene, ways);
		}
		for (const [group, ways] of Object.entries(toolWays)) {
			outcomes[group] = await runTools(n8n, scene, ways);
		}
		const { heard } = editor;
		const hasKey = carries(heard, scene.apiKey);
		const stored = searchSecrets(bed.userFolder, { log: n8n.logs }, formsOf(scene.apiKey));
		const taken = loot(scene);

		const looked = await lookTwice(n8n, scene);
		for (const [group, ways] of Object.entries(nodeWays)) {
			const few = ways.map((way) => ({ versions: [4.2, 4.5], ...way }));
			careless[group] = await runWays(n8n, other, few, true);
		}
		const response = await fetch(`${n8n.url}/types/nodes.json`, {
			headers: { cookie: n8n.rest.cookie },
		});
		const types = await response.json();
		const tests: Findings['tests'] = {};
		// One after the other: at the same time, n8n loses the node that it makes for each.
		for (const name of ['bearer', 'xApiKey', 'secure', 'path', 'impersonated'] as const) {
			const id = scene.credentials[name];
			const { data } = await n8n.rest.get<{ data: object }>(`/credentials/${id}?includeData=true`);
			const credentials = { id, name, type: 'workspaceCrmApi', data };
			tests[name] = await n8n.rest.post('/credentials/test', { credentials });
		}
		const found = { outcomes, careless, looked, loot: taken, stored, tests, types };
		return { ...found, editor: { heard, hasKey } };
	} finally {
		editor.close();
		await bed.close();
		await Promise.all([scene.close(), other.close()]);
	}
}

/** Expressions have a time limit in n8n, and give nothing when it is busy: what was shown once is shown. */
async function lookTwice(n8n: N8nServer, scene: Scene): Promise<Outcome[]> {
	const first = await runWays(n8n, scene, looks);
	const others = looks.filter(({ title, isShown }) =>
		first.some((look) => look.title === title && isShown && !look.isShown),
	);
	if (others.length === 0) return first;
	const second = await runWays(n8n, scene, others);
	return first.map((look) => {
		const isSame = ({ title, version }: Outcome) =>
			title === look.title && version === look.version;
		return second.find(isSame) ?? look;
	});
}
