import { keyHider } from '../../../nodes/WorkspaceCrm/crm/apiKey';
import { attempt } from '../../../nodes/WorkspaceCrm/crm/attempt';
import { endpoints } from '../../../nodes/WorkspaceCrm/crm/endpoints';
import type { Connection } from '../../../nodes/WorkspaceCrm/crm/connection';

test('the reason of a failed connection never contains the key', async () => {
	const httpRequestWithAuthentication = async () => {
		const cause = Object.assign(new Error('Unknown proxy: secret-key'), { code: 'EPROXY' });
		return await Promise.reject(new Error('secret-key', { cause }));
	};
	const connection = {
		baseUrl: 'https://crm.example.com',
		hideKey: keyHider('secret-key'),
		credential: () => ({}) as never,
		whileRunning: {
			begin: () => ({
				context: { helpers: { httpRequestWithAuthentication } },
				limit: { aborted: false },
			}),
		},
	};
	const request = endpoints.getTags();
	expect(await attempt(connection as unknown as Connection, request)).toMatchObject({
		failure: { reason: 'Unknown proxy: (the API key) (EPROXY)' },
	});
});
