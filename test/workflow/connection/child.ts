/** The program that runs the node in n8n's engine, in a process that trusts the certificates of the tests. */
import type { INodeParameters } from 'n8n-workflow';

import type { Clock } from '../../../nodes/WorkspaceCrm/crm/clock';
import { createRuntime } from '../../../nodes/WorkspaceCrm/crm/connection';
import type { Sandbox } from '../../../tools/sandbox';
import { ssrfProtection } from '../../support/nodeLogger';
import { delay, dns, net, process } from '../../../tools/support/platform';
import { chosen, variablesOf } from '../../../tools/engine/engine';
import { runNode } from '../../../tools/engine/runNode';
import type { Job, JobResult, RunResult } from './job';

const sendTemplate: INodeParameters = {
	resource: 'message',
	operation: 'sendTemplate',
	contactId: { __rl: true, mode: 'id', value: '3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b' },
	template: chosen('name', 'welcome'),
	templateVariables: variablesOf({ name: 'Anna' }),
	// The list of templates is not read.
	options: { sendBlankVariables: true },
};
const getWorkspace: INodeParameters = { resource: 'workspace', operation: 'get' };

async function runJob(job: Job): Promise<JobResult> {
	net.setDefaultAutoSelectFamily(job.triesAllAddresses ?? false);
	ssrfProtection().enabled = job.isGuarded ?? false;
	for (const name of ['HTTP_PROXY', 'HTTPS_PROXY']) {
		if (job.proxy) process.env[name] = job.proxy;
		else delete process.env[name];
	}
	const [send, read] = await Promise.all([run(sendTemplate, job), run(getWorkspace, job)]);
	return { send, read };
}

async function run(parameters: INodeParameters, { baseUrl, limitMs }: Job): Promise<RunResult> {
	let failedTries = 0;
	let nowMs = 0;
	const clock: Clock = {
		now: () => nowMs,
		elapsedMs: () => nowMs,
		sleep: async (delayMs) => {
			nowMs += delayMs;
			await delay(0);
		},
		signalAfter: () => AbortSignal.timeout(limitMs),
		// Called once for each failed try.
		random: () => {
			failedTries += 1;
			return 0;
		},
	};
	const { error } = await runNode({ url: baseUrl, apiKey: 'key' } as Sandbox, {
		parameters,
		runtime: createRuntime(clock),
	});
	const text = error ? `${error.message} ${error.description}` : '';
	return { tries: failedTries + (error ? 0 : 1), text };
}

/** A name with two addresses, which not every machine has. Nobody listens at the second one. */
const { lookup } = dns;
const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
dns.lookup = ((
	name: string,
	options: dns.LookupAllOptions,
	found: (...result: unknown[]) => void,
) => {
	if (name !== 'two-addresses.localhost') return lookup(name, options, found as never);
	const [first] = addresses;
	return options.all ? found(null, addresses) : found(null, first.address, first.family);
}) as typeof dns.lookup;

process.on('message', (job: Job) => {
	void runJob(job).then((result) => process.send?.(result));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
