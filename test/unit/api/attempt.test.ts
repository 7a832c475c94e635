import { keyHider } from '../../../nodes/WorkspaceCrm/api/apiKey';
import { attempt } from '../../../nodes/WorkspaceCrm/api/attempt';
import { endpoints } from '../../../nodes/WorkspaceCrm/api/endpoints';
import type { Service } from '../../../nodes/WorkspaceCrm/api/service';

test('the reason of a failed connection never contains the key', async () => {
	const httpRequestWithAuthentication = async () => {
		const cause = Object.assign(new Error('Unknown proxy: secret-key'), { code: 'EPROXY' });
		return await Promise.reject(new Error('secret-key', { cause }));
	};
	const service: Partial<Service> = {
		baseUrl: 'https://crm.example.com',
		hideKey: keyHider('secret-key'),
		credential: () => ({}) as never,
		begin: (() => ({
			context: { helpers: { httpRequestWithAuthentication } },
			limit: { aborted: false },
		})) as unknown as Service['begin'],
	};
	const request = endpoints.getTags();
	expect(await attempt(service as Service, request)).toMatchObject({
		failure: { reason: 'Unknown proxy: (the API key) (EPROXY)' },
	});
});
