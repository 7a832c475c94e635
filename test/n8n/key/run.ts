import type { IDataObject, INode, IRunExecutionData } from 'n8n-workflow';

import { fs } from '../../support/platform';
import { pemFile } from '../../workflow/connection/servers';
import { outputItems } from '../executionData';
import { finalStatuses, type Execution, type NewWorkflow } from '../n8nRestClient';
import type { N8nServer } from '../n8nServer';
import { eventually } from '../testbed';
import { EDITOR } from './editor';
import { startService } from './service';
import { carries, startThief, thiefsAuthority, type Caught } from './thief';
import { allVersions, type CredentialName, type Place, type Way } from './ways';

export interface Scene extends Place {
	apiKey: string;
	/** How many ways have been numbered. */
	numbered: number;
	/** Ids in n8n. */
	credentials: Record<CredentialName | 'clientCertificate' | 'authority' | 'careless', string>;
	close(): Promise<void>;
}

/** A service in three forms, a thief, and the credentials of the ways in n8n. */
export async function setUpScene({ rest }: N8nServer): Promise<Scene> {
	// With characters that are written differently in URLs, JSON and base64.
	const apiKey = `wck/${crypto.randomUUID().replaceAll('-', '')}+&"%=`;
	const [service, secure, shared, thief] = await Promise.all([
		startService({ apiKey }),
		startService({ apiKey, isSecure: true }),
		startService({ apiKey, path: '/crm' }),
		startThief(),
	]);
	const crm = async (name: string, baseUrl: string, authHeader = 'bearer', more = {}) => {
		const data = { baseUrl, apiKey, authHeader, ...more };
		return await rest.createCredential(name, 'workspaceCrmApi', data);
	};
	const [cert, key] = ['good', 'good.key'].map((name) => fs.readFileSync(pemFile(name), 'utf8'));
	const credentials: Scene['credentials'] = {
		bearer: await crm('Bearer', service.url),
		xApiKey: await crm('X-API-Key', service.url, 'xApiKey'),
		secure: await crm('Secure', secure.url),
		path: await crm('Path', shared.url),
		impersonated: await crm('Impersonated', thief.https),
		off: await crm('Off', service.url, 'bearer', { allowedHttpRequestDomains: 'none' }),
		clientCertificate: await rest.createCredential('Client', 'httpSslAuth', { cert, key }),
		authority: await rest.createCredential('Authority', 'httpSslAuth', { ca: thiefsAuthority }),
		careless: await rest.createCredential('Careless', 'httpHeaderAuth', {
			name: 'Authorization',
			value: `Bearer ${apiKey}`,
		}),
	};
	const close = async () => {
		await Promise.all([service, secure, shared, thief].map(async (each) => await each.close()));
	};
	return { apiKey, service, secure, shared, thief, numbered: 0, credentials, close };
}

/** A way in one version of its node, and what came of it. */
export interface Outcome {
	title: string;
	version: number;
	/** Whether somebody got the key who should not have it. */
	isStolen: boolean;
	/** Whether the key is in what n8n keeps of the run, or in a request anywhere but in its header. */
	isShown: boolean;
	/** Whether the service answered a request with the key. */
	isServed: boolean;
	/** The first error, if any. */
	error?: string;
	/** How many items came without one. */
	wellItems: number;
}

type Runnable = Pick<Way, 'title' | 'versions' | 'node' | 'hasItems' | 'probes'>;

/**
 * Runs all ways in one execution, each in all its versions, and tells what came of each.
 *
 * @param isCareless whether n8n's own Header Auth has the key, which looks at nothing
 */
export async function runWays(
	n8n: N8nServer,
	scene: Scene,
	ways: Runnable[],
	isCareless = false,
): Promise<Outcome[]> {
	const each = ways.flatMap((way) =>
		(way.versions ?? allVersions).map((version) => ({ way, version, number: scene.numbered++ })),
	);
	const first = each.map(({ way, version, number }) => {
		const node = toNode(scene, way, version, number);
		return isCareless ? withHeaderAuth(node, scene.credentials.careless) : node;
	});
	const behind = each.map(({ way, number }) => way.probes && probe(number, way.probes));
	const to = (name: string) => ({ node: name, type: 'main', index: 0 });
	const urls = [scene.service.url, scene.thief.http, scene.service.url];
	const workflow: NewWorkflow = {
		name: 'Ways',
		nodes: [start, ...first, ...behind.filter((node) => node !== undefined)],
		connections: {
			Start: { main: [first.map(({ name }) => to(name))] },
			...Object.fromEntries(
				behind.flatMap((node, index) =>
					node ? [[first[index].name, { main: [[to(node.name)]] }]] : [],
				),
			),
		} as never,
		settings: { executionOrder: 'v1' },
		pinData: { Start: urls.map((url) => ({ json: { url } })) },
	};
	const data = await runToEnd(n8n, workflow);
	return each.map(({ way, version, number }) => ({
		title: way.title,
		version,
		...judge(scene, data, number),
	}));
}

/** Runs a workflow as the editor does. An n8n that is busy may break connections, so it is asked again. */
export async function runToEnd(
	{ url, rest }: N8nServer,
	workflow: NewWorkflow,
): Promise<IRunExecutionData> {
	const { id } = await rest.createWorkflow(workflow);
	const response = await fetch(`${url}/rest/workflows/${id}/run`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', cookie: rest.cookie, 'push-ref': EDITOR },
		body: JSON.stringify({ triggerToStartFrom: { name: 'Start' } }),
	});
	const { executionId } = ((await response.json()) as { data: { executionId: string } }).data;
	const execution = await eventually(
		async () => await rest.getExecution(executionId).catch(() => undefined),
		(read) => read !== undefined && finalStatuses.includes(read.status),
	);
	const { status, data } = execution as Execution;
	if (status !== 'success') throw new Error(`${status}: ${data.resultData.error?.message}`);
	return data;
}

const start: INode = {
	id: 'start',
	name: 'Start',
	type: 'n8n-nodes-base.manualTrigger',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

const nameOf = (number: number) => `Way ${number}`;

function toNode(scene: Scene, way: Runnable, version: number, number: number): INode {
	const at = (url: string) => `${url}${url.includes('?') ? '&' : '?'}way=${number}`;
	const { credential = 'bearer', credentials, ...node } = way.node(scene, at);
	const { httpSslAuth } = credentials ?? {};
	const sslName = httpSslAuth?.id as keyof Scene['credentials'] | undefined;
	return {
		id: String(number),
		name: nameOf(number),
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: version,
		position: [200, 0],
		onError: 'continueRegularOutput',
		executeOnce: !way.hasItems,
		credentials: {
			workspaceCrmApi: { id: scene.credentials[credential], name: credential },
			...(sslName && { httpSslAuth: { id: scene.credentials[sslName], name: sslName } }),
		},
		...node,
	};
}

/** The same node with n8n's own credential for a header. */
function withHeaderAuth(node: INode, id: string): INode {
	const isGraphQl = node.type === 'n8n-nodes-base.graphql';
	return {
		...node,
		parameters: {
			...node.parameters,
			authentication: isGraphQl ? 'headerAuth' : 'genericCredentialType',
			genericAuthType: 'httpHeaderAuth',
		},
		credentials: { ...node.credentials, httpHeaderAuth: { id, name: 'Careless' } },
	};
}

function probe(number: number, expressions: string[]): INode {
	const assignments = expressions.map((expression, index) => ({
		id: String(index),
		name: String(index),
		type: 'string',
		value: expression.replace('{name}', nameOf(number)),
	}));
	return {
		id: `probe ${number}`,
		name: `Probe ${number}`,
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		position: [400, 0],
		onError: 'continueRegularOutput',
		parameters: { assignments: { assignments }, options: { ignoreConversionErrors: true } },
	};
}

function judge(
	scene: Scene,
	data: IRunExecutionData,
	number: number,
): Omit<Outcome, 'title' | 'version'> {
	const nodes = [nameOf(number), `Probe ${number}`];
	const { executionData, resultData } = data;
	const kept = nodes.map((name) => [
		resultData.runData[name],
		executionData?.contextData[`node:${name}`],
	]);
	const errors = outputItems(data, nameOf(number)).flatMap((json) => errorOf(json) ?? []);
	const wellItems = outputItems(data, nameOf(number)).length - errors.length;
	return { ...seen(scene, number, textsIn(kept)), error: errors[0], wellItems };
}

/** All texts in what n8n keeps, which may contain itself. */
function textsIn(kept: unknown): string {
	const texts: string[] = [];
	const known = new Set<unknown>();
	const look = (value: unknown) => {
		if (typeof value === 'string') texts.push(value);
		if (typeof value !== 'object' || value === null || known.has(value)) return;
		known.add(value);
		for (const [name, field] of Object.entries(value)) {
			texts.push(name);
			look(field);
		}
	};
	look(kept);
	return texts.join('\n');
}

/** Who saw the key, as far as requests of one way tell. */
export function seen(
	{ apiKey, service, secure, shared, thief }: Scene,
	number: number,
	output: string,
): Pick<Outcome, 'isStolen' | 'isShown' | 'isServed'> {
	const services = [service, secure, shared];
	const has = (all: Caught[], text: (caught: Caught) => string) =>
		all.some((caught) => caught.way === number && carries(text(caught), apiKey));
	return {
		isStolen: [thief.caught, ...services.map(({ astray }) => astray)].some((all) =>
			has(all, ({ text }) => text),
		),
		isShown:
			carries(output, apiKey) ||
			services.some(({ all }) => has(all, ({ text }) => besideKey(text))),
		isServed: services.some(({ served }) => served.some(({ way }) => way === number)),
	};
}

/** A request without the header in which the key belongs. */
const besideKey = (text: string) => text.replace(/^(authorization|x-api-key): .*$/im, '');

function errorOf(json: IDataObject | undefined): string | undefined {
	const error = json?.error;
	if (error === undefined || error === null) return undefined;
	if (typeof error === 'string') return error;
	const { message, description, statusCode } = error as Record<string, unknown>;
	return [message, description, statusCode].filter(Boolean).join(' ');
}

/** What the thief, and others beside the service, got with the key in it, whatever way it came. */
export function loot({ apiKey, thief, service, secure, shared }: Scene): Caught[] {
	return [thief.caught, service.astray, secure.astray, shared.astray]
		.flat()
		.filter(({ text }) => carries(text, apiKey));
}
