import { getEventListeners } from 'node:events';
import type { IExecuteFunctions } from 'n8n-workflow';

import { createApi } from '../../../nodes/WorkspaceCrm/crm/client';
import { createRuntime } from '../../../nodes/WorkspaceCrm/crm/connection';
import { jumpingClock } from '../../workflow/support';

/** A loop of 10,000 items runs the node many times in one execution, all with the same signal. */
test('all connections of an execution share one listener of its signal', async () => {
	const stop = new AbortController();
	const fields = { baseUrl: 'https://crm.example.com', apiKey: 'key' };
	const context = {
		getCredentials: async () => await Promise.resolve(fields),
		getExecutionCancelSignal: () => stop.signal,
	} as unknown as IExecuteFunctions;
	const signalAfter = () => AbortSignal.timeout(1);
	const runtime = createRuntime({ ...jumpingClock(), signalAfter });
	const apis = await Promise.all(
		Array.from({ length: 20 }, async () => await createApi(context, { runtime })),
	);
	expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
	stop.abort();
	expect(apis.some(({ pastStop }) => pastStop.end?.aborted)).toBe(false);
	await new Promise((resolve) => setTimeout(resolve, 50));
	expect(apis.every(({ pastStop }) => pastStop.end?.aborted)).toBe(true);
});
