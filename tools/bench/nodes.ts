/** Our node and the one a user would pick instead, both set up for the same work. */
import type { IDataObject, INode } from 'n8n-workflow';

import type { Sandbox } from '../sandbox';
import { crmNode } from '../engine/nodes';

export const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';

export type Address = Pick<Sandbox, 'url' | 'apiKey'>;

/** A node, and the decrypted credential that it uses. */
export interface NodeSetUp {
	node: INode;
	credential: IDataObject;
}

export function ours({ url, apiKey }: Address, parameters: INode['parameters']): NodeSetUp {
	return {
		node: crmNode(parameters, { onError: 'continueRegularOutput' }),
		credential: { baseUrl: url, apiKey, authHeader: 'bearer' },
	};
}

/** n8n's HTTP Request node, with its credential type for a header. */
function httpRequest({ apiKey }: Address, parameters: INode['parameters']): NodeSetUp {
	return {
		node: {
			id: 'http',
			name: 'HTTP Request',
			type: HTTP_REQUEST,
			typeVersion: 4.4,
			position: [200, 0],
			parameters: {
				authentication: 'genericCredentialType',
				genericAuthType: 'httpHeaderAuth',
				...parameters,
			},
			credentials: { httpHeaderAuth: { id: 'header', name: 'Header' } },
			onError: 'continueRegularOutput',
		},
		credential: { name: 'Authorization', value: `Bearer ${apiKey}` },
	};
}

export const ourList = (to: Address) =>
	ours(to, { resource: 'contact', operation: 'getAll', returnAll: true });

/** Page after page by offset, until the total is reached. */
export const httpList = (to: Address) =>
	httpRequest(to, {
		method: 'GET',
		url: `${to.url}/v1/contacts`,
		sendQuery: true,
		queryParameters: { parameters: [{ name: 'limit', value: '100' }] },
		options: {
			pagination: {
				pagination: {
					paginationMode: 'updateAParameterInEachRequest',
					parameters: {
						parameters: [{ type: 'qs', name: 'offset', value: '={{ $pageCount * 100 }}' }],
					},
					paginationCompleteWhen: 'other',
					completeExpression: '={{ $response.body.offset + 100 >= $response.body.total }}',
				},
			},
		},
	});

/** Creates or updates a contact with phone, name and city for each input item. */
export const ourUpsert = (to: Address) =>
	ours(to, {
		resource: 'contact',
		operation: 'upsert',
		phone: '={{ $json.phone }}',
		additionalFields: {
			name: '={{ $json.name }}',
			attributes: { values: [{ name: 'city', value: '={{ $json.city }}' }] },
		},
		options: {},
	});

/** The same request for each input item, from the same three expressions. */
export const httpUpsert = (to: Address, options: IDataObject = {}): NodeSetUp =>
	httpRequest(to, {
		method: 'POST',
		url: `${to.url}/v1/contacts`,
		sendBody: true,
		specifyBody: 'keypair',
		bodyParameters: {
			parameters: [
				{ name: 'phone', value: '={{ $json.phone }}' },
				{ name: 'name', value: '={{ $json.name }}' },
				{ name: 'attributes', value: '={{ { city: $json.city } }}' },
			],
		},
		options,
	} as INode['parameters']);
