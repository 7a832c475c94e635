import { delay, fs, http, once, path } from '../../tools/support/platform';
import {
	describeAddresses,
	openDataFolder,
	startDemo,
	startDemoCrm,
	type Demo,
} from '../../tools/demo/demo';
import { ensureHost } from '../../tools/n8n/installHost';
import { N8nRestClient } from '../../tools/n8n/n8nRestClient';
import { findFreePort } from '../../tools/n8n/ports';
import { createUserFolder, removeUserFolder } from '../../tools/n8n/userFolders';
import { triggerWorkflow } from '../../tools/n8n/workflows';

/** Nobody but the person who started the demo gets into it. */
let parent: string;
let folder: string;
let demo: Demo;
const cleanUps: Array<() => Promise<void>> = [];

async function start(data: string): Promise<Demo> {
	const args = { port: await findFreePort(), sandboxPort: await findFreePort(), data };
	return await startDemo(args, await startDemoCrm(args, cleanUps), { cleanUps });
}

async function stop(): Promise<void> {
	await demo.n8n.stop();
	for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
}

const intruder = { email: 'a@example.com', firstName: 'A', lastName: 'B', password: 'Intruder-1' };
const successes: unknown[] = [];

beforeAll(async () => {
	parent = await createUserFolder((await ensureHost()).folder);
	folder = path.join(parent, 'kept');
	const [port, sandboxPort] = [await findFreePort(), await findFreePort()];
	const args = { port, sandboxPort, data: folder };
	let isStarting = true;
	const rest = new N8nRestClient(`http://127.0.0.1:${port}`);
	const intruding = (async () => {
		for (; isStarting; await delay(10)) {
			await rest.post('/owner/setup', intruder).then(
				(owner) => owner && successes.push(owner),
				() => undefined,
			);
		}
	})();
	const starting = startDemo(args, await startDemoCrm(args, cleanUps), { cleanUps });
	demo = await starting.finally(() => (isStarting = false));
	await intruding;
});
afterAll(async () => {
	await stop();
	await removeUserFolder(parent);
});

const signIn = async (email: string, password: string) =>
	await new N8nRestClient(demo.n8n.url).signIn(email, password).then(
		() => 'signed in',
		({ message }: Error) => /gave (\d+)/.exec(message)?.[1],
	);

test('only the printed password signs in, and nobody else can become the owner', async () => {
	const printed = describeAddresses(demo);
	const [, email = ''] = /sign in +(\S+)/.exec(printed) ?? [];
	const [, password = ''] = /password +(\S+)/.exec(printed) ?? [];
	expect(password.length).toBeGreaterThan(16);
	expect(await signIn(email, password)).toBe('signed in');
	expect(successes).toEqual([]);
	const rest = new N8nRestClient(demo.n8n.url);
	await expect(rest.post('/owner/setup', intruder)).rejects.toThrow('gave 400');
	expect(await signIn(intruder.email, intruder.password)).toBe('401');

	const response = await fetch(`${demo.n8n.url}/rest/login`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ emailOrLdapLoginId: email, password }),
	});
	expect(response.headers.get('set-cookie')).toMatch(/HttpOnly.*SameSite=Strict/);
});

test('not even the owner can install packages or run commands', async () => {
	const { rest } = demo.n8n;
	const statusOf = async (method: string, path: string, body: object) =>
		await rest.request(method, path, body).then(
			() => 'done',
			({ message }: Error) => message,
		);
	const wish = { name: 'n8n-nodes-other', version: '1.0.0' };
	expect(await statusOf('POST', '/community-packages', wish)).toContain('managed via environment');
	const key = { label: 'x', scopes: ['workflow:list'], expiresAt: null };
	expect(await statusOf('POST', '/api-keys', key)).toContain('gave 404');
	const names = (await rest.nodeTypes()).map(({ name }) => name);
	expect(names).toContain('n8n-nodes-workspace-crm.workspaceCrm');
	expect(names).not.toContain('n8n-nodes-base.executeCommand');
});

test('only this machine can reach the demo, and only this account can read its data', async () => {
	for (const url of [demo.n8n.url, demo.sandbox.url]) {
		expect(new URL(url).hostname).toBe('127.0.0.1');
		const elsewhere = http.get(url.replace('127.0.0.1', '127.0.0.2'));
		const [error] = (await once(elsewhere, 'error')) as [NodeJS.ErrnoException];
		expect(error.code).toBe('ECONNREFUSED');
	}
	for (const kept of [folder, path.join(folder, '.n8n/config')]) {
		expect((await fs.promises.stat(kept)).mode & 0o077).toBe(0);
	}
});

test('the next start keeps the workflows, and --fresh deletes them', async () => {
	const { id } = await demo.n8n.rest.createWorkflow(triggerWorkflow({ events: [] }));
	await demo.n8n.rest.publish('tagOnKeyword');
	await expect(openDataFolder(folder, true, [])).rejects.toThrow('Another demo is using');
	await stop();
	demo = await start(folder);
	expect(await demo.n8n.rest.getWorkflow(id)).toMatchObject({ id });
	expect(await demo.n8n.rest.getWorkflow('tagOnMessage')).toMatchObject({ active: false });
	// The CRM started without subscriptions, so a published trigger has subscribed again.
	expect(demo.sandbox.store.subscriptions.size).toBe(1);
	await stop();
	await openDataFolder(folder, true, cleanUps);
	expect(fs.existsSync(path.join(folder, '.n8n'))).toBe(false);
});
