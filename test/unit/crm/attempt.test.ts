import { attempt } from '../../../nodes/WorkspaceCrm/crm/attempt';
import { Api } from '../../../nodes/WorkspaceCrm/crm/client';
import { createRuntime } from '../../../nodes/WorkspaceCrm/crm/connection';
import { rethrow } from '../../../nodes/WorkspaceCrm/domain/problem';
import { endpoints } from '../../../nodes/WorkspaceCrm/crm/endpoints';
import { NoAnswer, type Transport } from '../../../nodes/WorkspaceCrm/crm/transport';
import { systemClock } from '../../../nodes/WorkspaceCrm/n8n/systemClock';

const fields = { baseUrl: 'https://crm.example.com', apiKey: 'secret-key' };

async function failureOf(send: Transport['send']) {
	const api = new Api({ send }, fields, { runtime: createRuntime(systemClock) });
	return (await attempt(api, endpoints.getTags())).failure;
}

test('the reason of a failed connection never contains the key', async () => {
	const cause = Object.assign(new Error('Unknown proxy: secret-key'), { code: 'EPROXY' });
	const failure = await failureOf(async () => await Promise.reject(new NoAnswer('refused', cause)));
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
