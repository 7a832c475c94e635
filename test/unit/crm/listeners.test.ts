import { Api } from '../../../nodes/WorkspaceCrm/crm/client';
import { createRuntime } from '../../../nodes/WorkspaceCrm/crm/connection';
import { endpoints } from '../../../nodes/WorkspaceCrm/crm/endpoints';
import type { Transport } from '../../../nodes/WorkspaceCrm/crm/transport';
import { delay, getEventListeners } from '../../../tools/support/platform';
import { jumpingClock } from '../../workflow/support';

const fields = { baseUrl: 'https://crm.example.com', apiKey: 'key' };
const listenersOf = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

/** A transport that never answers, and the signals of its requests. n8n adds a listener to each. */
function silentTransport() {
	const signals: AbortSignal[] = [];
	const send: Transport['send'] = async (_, signal) => {
		signals.push(signal);
		signal.addEventListener('abort', () => {});
		return await new Promise(() => {});
	};
	return { signals, send };
}

/** Clocks that a test stops, and how long each runs. */
function stoppedClocks() {
	const ends: Array<{ delayMs: number; end: AbortController }> = [];
	const signalAfter = (delayMs: number) => {
		const end = new AbortController();
		ends.push({ delayMs, end });
		return end.signal;
	};
	const pass = (ms: number) => {
		for (const { delayMs, end } of ends) if (delayMs <= ms) end.abort();
	};
	return { ends, signalAfter, pass };
}

/** A loop of 10,000 items runs the node many times in one execution, all with the same signal. */
test('no signal gets more listeners than Node.js allows, however many clients and requests', async () => {
	const stop = new AbortController();
	const transport = silentTransport();
	const options = { runtime: createRuntime(jumpingClock()), signal: stop.signal };
	const apis = Array.from({ length: 20 }, () => new Api(transport, fields, options));
	for (const api of apis) {
		void api.send(endpoints.getTags());
		void api.send(endpoints.sendTemplate());
	}
	while (transport.signals.length < 40) await delay(1);
	const ends = apis.flatMap(({ pastStop }) => pastStop ?? []);
	expect(ends).toHaveLength(20);
	const counts = [stop.signal, ...ends, ...transport.signals].map(listenersOf);
	expect(Math.max(...counts)).toBe(1);
	expect(listenersOf(stop.signal)).toBe(0);
});

test('a request ends with the run; one that must get its answer some time later', async () => {
	const stop = new AbortController();
	const transport = silentTransport();
	const { pass, signalAfter } = stoppedClocks();
	const runtime = createRuntime({ ...jumpingClock(), signalAfter });
	const api = new Api(transport, fields, { runtime, signal: stop.signal, graceMs: 7_000 });
	void api.send(endpoints.getTags());
	void api.send(endpoints.sendTemplate());
	void api.send(endpoints.deleteContact('1'), { isPersistent: true });
	while (transport.signals.length < 3) await delay(1);
	const areOver = () => transport.signals.map(({ aborted }) => aborted);
	pass(7_000);
	expect(areOver()).toEqual([false, false, false]);
	stop.abort();
	expect(areOver()).toEqual([true, false, false]);
	pass(6_999);
	expect(areOver()).toEqual([true, false, false]);
	pass(7_000);
	expect(areOver()).toEqual([true, true, true]);
});

test('a request that begins after the end of a run has the same time', async () => {
	const { pass, signalAfter } = stoppedClocks();
	const runtime = createRuntime({ ...jumpingClock(), signalAfter });
	const { pastStop } = new Api(silentTransport(), fields, {
		runtime,
		signal: AbortSignal.abort(),
		graceMs: 7_000,
	});
	expect(pastStop?.aborted).toBe(false);
	pass(7_000);
	expect(pastStop?.aborted).toBe(true);
});

test('a request ends after its own minute', async () => {
	const transport = silentTransport();
	const { ends, pass, signalAfter } = stoppedClocks();
	const runtime = createRuntime({ ...jumpingClock(), signalAfter });
	const signal = new AbortController().signal;
	for (const options of [{ runtime }, { runtime, signal }]) {
		void new Api(transport, fields, options).send(endpoints.getTags());
	}
	while (transport.signals.length < 2) await delay(1);
	expect(ends.map(({ delayMs }) => delayMs)).toEqual([60_000, 60_000]);
	pass(59_999);
	expect(transport.signals.map(({ aborted }) => aborted)).toEqual([false, false]);
	pass(60_000);
	expect(transport.signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});
