import { Api } from '../../../nodes/WorkspaceCrm/crm/client';
import { createRuntime } from '../../../nodes/WorkspaceCrm/crm/connection';
import type { Transport } from '../../../nodes/WorkspaceCrm/crm/transport';
import { jumpingClock } from '../../workflow/support';

async function* bytesOf(text: string) {
	yield await Promise.resolve(Buffer.from(text));
}

/** Each request is answered by another workspace. */
function workspaces() {
	const asked = { times: 0 };
	const send: Transport['send'] = async () => {
		asked.times += 1;
		const body = bytesOf(JSON.stringify({ id: `w${asked.times}` }));
		return await Promise.resolve({ status: 200, headers: {}, body });
	};
	return { asked, send };
}

const fields = { baseUrl: 'https://crm.example.com', apiKey: 'secret-key' };

test('an account is a base URL with a key, however they are written', () => {
	const runtime = createRuntime(jumpingClock());
	const accountOf = (credential: object) =>
		new Api(workspaces(), { ...fields, ...credential }, { runtime }).account;
	const account = accountOf({});
	const written = { baseUrl: 'https://CRM.example.com/v1/', apiKey: 'Bearer secret-key' };
	expect(accountOf(written)).toBe(account);
	for (const other of [{ apiKey: 'another-key' }, { baseUrl: 'https://other.example.com' }]) {
		expect(accountOf(other)).not.toBe(account);
		expect(accountOf(other).rateLimiter).not.toBe(account.rateLimiter);
	}
	expect(runtime.accounts.size).toBe(3);
});

test('the workspace of an account is asked for once, by whichever client', async () => {
	const runtime = createRuntime(jumpingClock());
	const { asked, send } = workspaces();
	const idOf = async (apiKey: string) =>
		await new Api({ send }, { ...fields, apiKey }, { runtime }).workspaceId();
	const keys = ['one', 'one', 'two', 'one', 'two'];
	const ids: string[] = [];
	for (const key of keys) ids.push(await idOf(key));
	expect(ids).toEqual(['w1', 'w1', 'w2', 'w1', 'w2']);
	expect(asked.times).toBe(2);
});

test.each([undefined, null, '', ' '])("a workspace whose ID is %j is nobody's", async (id) => {
	const send: Transport['send'] = async () =>
		await Promise.resolve({ status: 200, headers: {}, body: bytesOf(JSON.stringify({ id })) });
	const api = new Api({ send }, fields, { runtime: createRuntime(jumpingClock()) });
	await expect(api.workspaceId()).rejects.toThrow('does not say which workspace');
	expect(api.account.workspaceId).toBeUndefined();
});

test('all requests of a client end with one signal after Stop', () => {
	const signal = new AbortController().signal;
	const api = new Api(workspaces(), fields, { runtime: createRuntime(jumpingClock()), signal });
	expect(api.pastStop).toBeInstanceOf(AbortSignal);
	expect(api.pastStop).toBe(api.pastStop);
});
