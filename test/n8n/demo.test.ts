import { delay, fs, http, once, path } from '../support/platform';
import { describeAddresses, startDemo, startDemoCrm, type Demo } from './demo';
import { ensureHost } from './installHost';
import { N8nRestClient, type Owner } from './n8nRestClient';
import { findFreePort } from './ports';
import { createUserFolder, removeUserFolder } from './userFolders';

let parent: string;
/** Not there before the first start. */
let folder: string;
let demo: Demo;
let cleanUps: Array<() => Promise<void>>;
const passwords: string[] = [];

/** What the demo tells a person to sign in with. */
function readPrinted(): Pick<Owner, 'email' | 'password'> {
	const printed = describeAddresses(demo);
	const [, email = ''] = /sign in +(\S+)/.exec(printed) ?? [];
	const [, password = ''] = /password +(\S+)/.exec(printed) ?? [];
	return { email, password };
}

const intruder = { email: 'a@example.com', firstName: 'A', lastName: 'B', password: 'Intruder-1' };
const successes: string[] = [];

/** Asks to become the owner, over and over. */
async function intrude(port: number, signal: AbortSignal): Promise<void> {
	while (!signal.aborted) {
		await new N8nRestClient(`http://127.0.0.1:${port}`).post('/owner/setup', intruder).then(
			(owner) => owner && successes.push(JSON.stringify(owner)),
			() => undefined,
		);
		await delay(10);
	}
}

async function start(): Promise<void> {
	cleanUps = [];
	const [port, sandboxPort] = [await findFreePort(), await findFreePort()];
	const started = new AbortController();
	const intruding = intrude(port, started.signal);
	const args = { port, sandboxPort, data: folder };
	const starting = startDemo(args, await startDemoCrm(args, cleanUps), { cleanUps });
	demo = await starting.finally(() => started.abort());
	await intruding;
	passwords.push(readPrinted().password);
}

async function stop(): Promise<void> {
	await demo.n8n.stop();
	for (const cleanUp of cleanUps) await cleanUp();
}

const signIn = async (email: string, password: string) =>
	await new N8nRestClient(demo.n8n.url).signIn(email, password).then(
		() => 'signed in',
		({ message }: Error) => /gave (\d+)/.exec(message)?.[1],
	);

/** The status that n8n answers with, to a request with the owner's session. */
async function statusOf(method: string, path: string, body?: object): Promise<string> {
	return await demo.n8n.rest.request(method, path, body).then(
		() => 'done',
		({ message }: Error) => message,
	);
}

beforeAll(async () => {
	parent = await createUserFolder((await ensureHost()).folder);
	folder = path.join(parent, 'kept');
	await start();
});
afterAll(async () => {
	await stop();
	await removeUserFolder(parent);
});

test('the password that is printed lets in, and the one that everybody knew does not', async () => {
	const { email, password } = readPrinted();
	expect(password.length).toBeGreaterThan(16);
	expect(await signIn(email, password)).toBe('signed in');
	expect(await signIn(email, 'Workspace-CRM-1')).toBe('401');
});

test('nobody else can make themselves the owner, not even while it starts', async () => {
	expect(successes).toEqual([]);
	const rest = new N8nRestClient(demo.n8n.url);
	await expect(rest.post('/owner/setup', intruder)).rejects.toThrow('gave 400');
	expect(await signIn(intruder.email, intruder.password)).toBe('401');
});

test("n8n's cookie does not come along from other websites", async () => {
	const { url, rest } = demo.n8n;
	const { email: emailOrLdapLoginId, password } = readPrinted();
	const response = await fetch(`${url}/rest/login`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ emailOrLdapLoginId, password }),
	});
	expect(response.headers.get('set-cookie')).toMatch(/HttpOnly.*SameSite=Strict/);
	expect(rest.cookie).toMatch(/^n8n-auth=/);
});

test('not even the owner has code from elsewhere run here', async () => {
	const wish = { name: 'n8n-nodes-other', version: '1.0.0' };
	expect(await statusOf('POST', '/community-packages', wish)).toContain('managed via environment');
	expect(await statusOf('PATCH', '/community-packages', wish)).toContain('managed via environment');
	const { cookie } = demo.n8n.rest;
	const nodes = await (
		await fetch(`${demo.n8n.url}/types/nodes.json`, { headers: { cookie } })
	).text();
	expect(nodes).toContain('"n8n-nodes-workspace-crm.workspaceCrm"');
	expect(nodes).toContain('"n8n-nodes-base.code"');
	expect(nodes).not.toContain('"n8n-nodes-base.executeCommand"');
	const key = { label: 'x', scopes: ['workflow:list'], expiresAt: null };
	expect(await statusOf('POST', '/api-keys', key)).toContain('gave 404');
});

test('only this machine reaches it', async () => {
	for (const url of [demo.n8n.url, demo.sandbox.url]) {
		expect(new URL(url).hostname).toBe('127.0.0.1');
		const elsewhere = http.get(url.replace('127.0.0.1', '127.0.0.2'));
		const [error] = (await once(elsewhere, 'error')) as [NodeJS.ErrnoException];
		expect(error.code).toBe('ECONNREFUSED');
	}
});

test('a later start on the same data has another password, and the old one is void', async () => {
	const [before] = passwords;
	const { cookie } = demo.n8n.rest;
	await stop();
	await start();
	const { email, password } = readPrinted();
	expect(password).not.toBe(before);
	expect(await signIn(email, password)).toBe('signed in');
	expect(await signIn(email, before)).toBe('401');
	const former = new N8nRestClient(demo.n8n.url);
	former.cookie = cookie;
	await expect(former.get('/workflows')).rejects.toThrow('gave 401');
	// as it was: the workflows are there, with the package's nodes
	expect(await demo.n8n.rest.getWorkflow('contactImportDemo')).toMatchObject({
		id: 'contactImportDemo',
	});
});

test('the data are for the account alone that started it', async () => {
	const kept = path.join(folder, '.n8n/config');
	expect((await fs.promises.stat(folder)).mode & 0o077).toBe(0);
	expect((await fs.promises.stat(kept)).mode & 0o077).toBe(0);
});
