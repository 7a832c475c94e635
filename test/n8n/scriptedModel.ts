import type { IDataObject, INode } from 'n8n-workflow';

import { startJsonServer, type JsonRequest, type JsonServer } from '../../tools/n8n/jsonServer';
import type { Testbed } from '../../tools/n8n/testbed';
import { node } from '../../tools/n8n/workflows';

/** What a model wants one of its tools to do. */
export interface ToolCall {
	tool: string;
	arguments: IDataObject;
}

/** What a model says next: a call of one of its tools or several, its last words, or an error. */
export type ModelTurn = ToolCall | { calls: ToolCall[] } | { text: string } | { status: number };

/** Makes each turn from the last tool's output, or from the whole request. */
export type ModelScript = Array<(lastToolOutput: string, request: JsonRequest) => ModelTurn>;

/**
 * A stand-in for a language model with OpenAI's interface. It follows a script, one turn for each request, so
 * that a test can check what an agent sends to a model, and what it does with the answers.
 *
 * @param isTurn false for requests outside the conversation, which get any answer
 */
export async function startScriptedModel(
	script: ModelScript,
	isTurn: (request: JsonRequest) => boolean = () => true,
): Promise<JsonServer> {
	let turn = 0;
	return await startJsonServer((request) => {
		if (!isTurn(request)) return { body: completionOf(choiceOf({ text: 'A title' }, turn)) };
		const next = script[turn];
		turn += 1;
		if (!next) return { status: 500, body: { error: { message: 'the script has ended' } } };
		const said = next(toolOutputs(request).at(-1) ?? '', request);
		if ('status' in said)
			return { status: said.status, body: { error: { message: 'overloaded' } } };
		const choice = choiceOf(said, turn);
		return { body: request.body.stream ? eventsOf(choice) : completionOf(choice) };
	});
}

/** Calls `use` with an AI Agent's model node that follows the script, and with the requests that it gets. */
export async function withModelNode<T>(
	{ n8n }: Testbed,
	script: ModelScript,
	use: (model: INode, requests: JsonRequest[]) => Promise<T>,
): Promise<T> {
	const server = await startScriptedModel(script);
	try {
		const data = { apiKey: 'none', url: `${server.url}/v1` };
		const id = await n8n.rest.createCredential('Model', 'openAiApi', data);
		const model = { __rl: true, mode: 'id', value: 'scripted' };
		const parameters = { model, options: { maxRetries: 0 } };
		const type = '@n8n/n8n-nodes-langchain.lmChatOpenAi';
		const credentials = { openAiApi: { id, name: 'Model' } };
		return await use({ ...node('Model', type, parameters, 1.2), credentials }, server.requests);
	} finally {
		await server.close();
	}
}

/** The tools that an agent offered to the model, by name. */
export function offeredTools({ body }: JsonRequest): Record<string, IDataObject> {
	const tools = (body.tools ?? []) as Array<{ function: IDataObject }>;
	return Object.fromEntries(tools.map((tool) => [tool.function.name, tool.function]));
}

interface Choice {
	message: IDataObject;
	finish_reason: string;
}

function choiceOf(turn: Exclude<ModelTurn, { status: number }>, turnIndex: number): Choice {
	if ('text' in turn) {
		return { message: { role: 'assistant', content: turn.text }, finish_reason: 'stop' };
	}
	const calls = 'calls' in turn ? turn.calls : [turn];
	const tool_calls = calls.map((call, index) => ({
		index,
		id: `call_${turnIndex}_${index}`,
		type: 'function',
		function: { name: call.tool, arguments: JSON.stringify(call.arguments) },
	}));
	const message = { role: 'assistant', content: null, tool_calls };
	return { message, finish_reason: 'tool_calls' };
}

const common = { id: 'completion', created: 1, model: 'scripted' };

function completionOf(choice: Choice): object {
	const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
	return { ...common, object: 'chat.completion', choices: [{ index: 0, ...choice }], usage };
}

function eventsOf({ message, finish_reason }: Choice): string {
	const chunk = (delta: IDataObject, reason: string | null) => ({
		...common,
		object: 'chat.completion.chunk',
		choices: [{ index: 0, delta, finish_reason: reason }],
	});
	const chunks = [chunk(message, null), chunk({}, finish_reason)].map((each) =>
		JSON.stringify(each),
	);
	return [...chunks, '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
}

/** The outputs of tools so far, as a request passes them to the model. */
export function toolOutputs({ body }: JsonRequest): string[] {
	const messages = (body.messages ?? []) as Array<{ role: string; content: unknown }>;
	return messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
}
