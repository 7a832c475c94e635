import { Api } from '../../../nodes/WorkspaceCrm/crm/client';
import { createRuntime } from '../../../nodes/WorkspaceCrm/crm/connection';
import { CrmError } from '../../../nodes/WorkspaceCrm/crm/crmError';
import { endpoints } from '../../../nodes/WorkspaceCrm/crm/endpoints';
import type { Transport, WireAnswer } from '../../../nodes/WorkspaceCrm/crm/transport';
import { rethrow } from '../../../nodes/WorkspaceCrm/domain/inputProblem';
import { jumpingClock } from '../../workflow/support';

const fields = { baseUrl: 'https://crm.example.com', apiKey: 'secret-key' };

/** A client whose requests get these answers, the last one again and again, and how often it was asked. */
function clientOf(...sends: Array<Transport['send']>) {
	const asked = { times: 0 };
	const send: Transport['send'] = async (...request) => {
		asked.times += 1;
		return await (sends.length > 1 ? sends.shift() : sends[0])!(...request);
	};
	const clock = jumpingClock();
	return { asked, clock, api: new Api({ send }, fields, { runtime: createRuntime(clock) }) };
}

async function* bytesOf(text: string) {
	yield await Promise.resolve(Buffer.from(text));
}

const answer = (status: number, retryAfter?: number): Transport['send'] => {
	const headers = { 'retry-after': retryAfter };
	return async () => await Promise.resolve<WireAnswer>({ status, headers, body: bytesOf('') });
};

async function failureOf(send: Transport['send']) {
	const error: unknown = await clientOf(send)
		.api.send(endpoints.addTag('1'))
		.catch((each) => each);
	return error instanceof CrmError ? error.failure : error;
}

test('the reason of a failed connection never contains the key', async () => {
	const cause = Object.assign(new Error('Unknown proxy: secret-key'), { code: 'EPROXY' });
	const failure = await failureOf(async () => await Promise.resolve({ stage: 'refused', cause }));
	expect(failure).toMatchObject({ reason: 'Unknown proxy: (the API key) (EPROXY)' });
});

test.each([undefined, null, 'text', 1, new Error('other'), { stage: 'unwritten' }])(
	'after an error of unknown form, the request may have been sent: %p',
	async (error) => {
		const send = async () => await Promise.resolve().then(() => rethrow(error));
		const failure = await failureOf(send);
		expect(failure).toMatchObject({ mayHaveHappened: true, retryable: 'soon' });
	},
);

test('refusals count over all tries of a request: five minutes of pauses in all', async () => {
	const [refused, failed] = [answer(429, 100), answer(500)];
	const enough = clientOf(refused, failed, refused, refused, answer(200));
	await expect(enough.api.send(endpoints.getTags())).resolves.toBeUndefined();
	const { api, asked } = clientOf(refused, refused, failed, refused, refused, answer(200));
	await expect(api.send(endpoints.getTags())).rejects.toMatchObject({ failure: { status: 429 } });
	expect(asked.times).toBe(5);
});

test.each([429, 503])(
	'a request that gets %i after Stop is sent again only if it is persistent',
	async (status) => {
		for (const isPersistent of [true, false]) {
			const stop = new AbortController();
			const sends = [answer(status, 1), answer(200)];
			const send: Transport['send'] = async (...request) => {
				stop.abort('stopped');
				return await sends.shift()!(...request);
			};
			const options = { runtime: createRuntime(jumpingClock()), signal: stop.signal };
			const sending = new Api({ send }, fields, options).send(endpoints.getTags(), {
				isPersistent,
			});
			if (isPersistent) await expect(sending).resolves.toBeUndefined();
			else await expect(sending).rejects.toBe('stopped');
			expect(sends).toHaveLength(isPersistent ? 0 : 1);
		}
	},
);

test('a request that fails for good after Stop ends with the reason of Stop', async () => {
	const stop = new AbortController();
	const send: Transport['send'] = async (...request) => {
		stop.abort('stopped');
		return await answer(400)(...request);
	};
	const api = new Api({ send }, fields, {
		runtime: createRuntime(jumpingClock()),
		signal: stop.signal,
	});
	await expect(api.send(endpoints.getTags())).rejects.toBe('stopped');
	await expect(api.send(endpoints.getTags(), { isPersistent: true })).rejects.toMatchObject({
		failure: { status: 400 },
	});
});

test('what never reached the service takes nothing from its rate limit', async () => {
	const unsent: Transport['send'] = async () =>
		await Promise.resolve({ stage: 'unwritten', cause: {} });
	const sends = [unsent, unsent, answer(200)];
	const clock = jumpingClock();
	const runtime = createRuntime(clock, { limit: 1, windowMs: 60_000 });
	const api = new Api({ send: async (...request) => await sends.shift()!(...request) }, fields, {
		runtime,
	});
	await expect(api.send(endpoints.getTags())).resolves.toBeUndefined();
	expect(clock.sleptMs()).toBeLessThan(2_000);
});

test('neither does what is outdated before it is sent', async () => {
	const sleep = async () => await Promise.reject(new Error('waited'));
	const runtime = createRuntime({ ...jumpingClock(), sleep }, { limit: 1, windowMs: 60_000 });
	const api = new Api({ send: answer(200) }, fields, { runtime });
	const outdated = api.send(endpoints.getTags(), { isOutdated: () => true });
	await expect(outdated).rejects.toThrow('waited too long');
	await expect(api.send(endpoints.getTags())).resolves.toBeUndefined();
});

test.each([199, 300])('status %i is no success', async (status) => {
	expect(await failureOf(answer(status))).toMatchObject({ status });
});

test('only of a message does a 502 with a detail say that it did nothing', async () => {
	const rejected: Transport['send'] = async () =>
		await Promise.resolve({ status: 502, headers: {}, body: bytesOf('{"detail":"no template"}') });
	const failuresOf = [endpoints.sendTemplate(), endpoints.enroll('1')].map(async (call) => {
		const { api } = clientOf(rejected);
		return await api.send(call).catch(({ failure }: CrmError) => failure.mayHaveHappened);
	});
	expect(await Promise.all(failuresOf)).toEqual([false, true]);
});

test('a failed read changed nothing, whatever became of it', async () => {
	const sending = clientOf(answer(500)).api.send(endpoints.getTags());
	await expect(sending).rejects.toMatchObject({ failure: { status: 500, mayHaveHappened: false } });
});

describe('a client for cleaning up', () => {
	test('sends after Stop, until its own time is over', async () => {
		const ends: AbortController[] = [];
		const signalAfter = () => {
			const end = new AbortController();
			ends.push(end);
			return end.signal;
		};
		const send = answer(200);
		const runtime = createRuntime({ ...jumpingClock(), signalAfter });
		const options = { runtime, signal: AbortSignal.abort('stopped') };
		const stopped = new Api({ send }, fields, options);
		await expect(stopped.send(endpoints.getTags())).rejects.toBe('stopped');
		const api = stopped.within(10_000);
		await expect(api.send(endpoints.getTags())).resolves.toBeUndefined();
		ends[0].abort('over');
		await expect(api.send(endpoints.getTags())).rejects.toBe('over');
	});

	test('does not wait longer than that, and shares the account', async () => {
		const { api, asked } = clientOf(answer(429, 11));
		const cleaning = api.within(10_000);
		expect(cleaning.account).toBe(api.account);
		for (const each of [cleaning, cleaning]) {
			await expect(each.send(endpoints.getTags())).rejects.toMatchObject({
				failure: { status: 429 },
			});
		}
		expect(asked.times).toBe(1);
	});
});
