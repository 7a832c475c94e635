import { Api } from '../../../nodes/WorkspaceCrm/crm/client';
import { createRuntime } from '../../../nodes/WorkspaceCrm/crm/connection';
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
