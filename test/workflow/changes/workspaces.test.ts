import type { IDataObject } from 'n8n-workflow';

import { PollHost } from './pollHost';
import { sandboxes } from '../twoWorkspaces';

describe('without an item, an expression that needs one is an error', () => {
	const credentials: Array<[string, IDataObject, RegExp]> = [
		[
			'an address',
			{ baseUrl: '={{ $json.crmUrl }}' },
			/^An expression in the credential has no value here/,
		],
		[
			'a key',
			{ apiKey: '={{ $json.crmKey }}' },
			/^An expression in the credential has no value here/,
		],
		['a blank key', { apiKey: '={{ undefined }}' }, /^The API key is empty/],
	];

	test.each(credentials)('in a poll: %s', async (_name, credential, says) => {
		const { baseUrl = sandboxes[0].url, apiKey = sandboxes[0].apiKey } = credential;
		const host = new PollHost(sandboxes[0], { parameters: { watch: 'all' } });
		host.useCredentialOf({ url: String(baseUrl), apiKey: String(apiKey) });
		await expect(host.publish()).rejects.toThrow(says);
		expect(sandboxes[0].requests).toEqual([]);
	});
});
