import { Api } from '../../../nodes/WorkspaceCrm/crm/client';
import { createRuntime } from '../../../nodes/WorkspaceCrm/crm/connection';
import { endpoints } from '../../../nodes/WorkspaceCrm/crm/endpoints';
import type { Transport } from '../../../nodes/WorkspaceCrm/crm/transport';
import { delay, getEventListeners } from '../../../tools/support/platform';
import { jumpingClock } from '../../workflow/support';

/** A loop of 10,000 items runs the node many times in one execution, all with the same signal. */
test('all connections of an execution share one listener of its signal', async () => {
	const stop = new AbortController();
	const fields = { baseUrl: 'https://crm.example.com', apiKey: 'key' };
	const signalAfter = () => AbortSignal.timeout(1);
	const runtime = createRuntime({ ...jumpingClock(), signalAfter });
	const options = { runtime, signal: stop.signal };
	const apis = Array.from({ length: 20 }, () => new Api({} as Transport, fields, options));
	expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
	stop.abort();
	expect(apis.some(({ pastStop }) => pastStop.end?.aborted)).toBe(false);
	await delay(50);
	expect(apis.every(({ pastStop }) => pastStop.end?.aborted)).toBe(true);
});

/** n8n adds a listener for each request. Node.js would write a warning into n8n's log. */
test('no signal gets more listeners than Node.js allows, however many requests are under way', async () => {
	const fields = { baseUrl: 'https://crm.example.com', apiKey: 'key' };
	const signals = new Set<AbortSignal>();
	let sent = 0;
	const transport: Transport = {
		send: async (_, signal) => {
			signals.add(signal);
			signal.addEventListener('abort', () => {});
			sent += 1;
			return await new Promise(() => {});
		},
	};
	const runtime = createRuntime(jumpingClock());
	const signal = new AbortController().signal;
	const api = new Api(transport, fields, { runtime, signal });
	for (let count = 0; count < 40; count++) void api.send(endpoints.getTags());
	while (sent < 40) await delay(1);
	expect(Math.max(...[...signals].map((each) => getEventListeners(each, 'abort').length))).toBe(10);
	expect(signals.size).toBe(4);
});
