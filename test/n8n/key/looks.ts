import { request, type Way } from './ways';

/** Whether a workflow can read the key from what n8n shows of a request or hands on. */
export interface Look extends Pick<Way, 'title' | 'node' | 'probes'> {
	versions: number[];
	/** Whether it can. n8n gives us no hold where it does. */
	isShown: boolean;
}

/** What n8n shows is made outside of the node, so two versions of it will do. */
const versions = [4.2, 4.5];

const failures = { 'status 400': 'status=400', 'status 500': 'status=500', 'no answer': 'drop=1' };

/** Where errors keep the request that they are about. */
const causes = ['', '.cause', '.cause.cause'].flatMap((cause) =>
	['options', 'config', 'request', 'response.config', 'response.request'].flatMap((part) => [
		`={{ $json.error${cause}.${part}.headers.Authorization }}`,
		`={{ $json.error${cause}.${part}._header }}`,
		`={{ JSON.stringify($json.error${cause}.${part}) }}`,
	]),
);

const errors = Object.entries(failures).flatMap(([failure, how]): Look[] => {
	const node: Way['node'] = ({ service }, at) => ({
		parameters: request(at(`${service.url}/v1/x?${how}`)),
	});
	return [
		{ title: `The error of a request: ${failure}`, versions, isShown: false, node },
		{
			title: `Expressions on it, such as \`$json.error.cause.options.headers\`: ${failure}`,
			versions,
			isShown: true,
			node,
			probes: causes,
		},
	];
});

const responses = ['autodetect', 'json', 'text', 'file'].flatMap((responseFormat) =>
	[false, true].map(
		(neverError): Look => ({
			title: `The full response as ${responseFormat}${neverError ? ', Never Error' : ''}, and expressions on it`,
			versions,
			// n8n keeps the stream of the file with its request, for the editor.
			isShown: responseFormat === 'file' && neverError,
			node: ({ service }, at) => ({
				parameters: request(at(`${service.url}/v1/x`), {
					options: { response: { response: { fullResponse: true, neverError, responseFormat } } },
				}),
			}),
			probes: [
				'={{ JSON.stringify($json) }}',
				'={{ JSON.stringify($node["{name}"].context) }}',
				'={{ $node["{name}"].context.response.body.req._header }}',
				'={{ $node["{name}"].context.response.request._header }}',
			],
		}),
	),
);

/** What n8n evaluates between two pages; its value goes to the service, where one can look it up. */
const pages = ['autodetect', 'json', 'text', 'file'].flatMap((responseFormat) =>
	['JSON.stringify($request)', '$response.body.req._header', '$response.request._header'].map(
		(expression): Look => ({
			title: `\`${expression}\` in pagination, response as ${responseFormat}`,
			versions,
			// The stream of the file again.
			isShown: responseFormat === 'file',
			node: ({ service }, at) => ({
				parameters: request(at(`${service.url}/v1/x`), {
					options: {
						response: { response: { responseFormat } },
						pagination: {
							pagination: {
								paginationMode: 'updateAParameterInEachRequest',
								parameters: {
									parameters: [{ type: 'qs', name: 'seen', value: `={{ ${expression} }}` }],
								},
								paginationCompleteWhen: 'receiveSpecificStatusCodes',
								statusCodesWhenComplete: '404',
								limitPagesFetched: true,
								maxRequests: 2,
							},
						},
					},
				}),
			}),
		}),
	),
);

export const looks: Look[] = [...errors, ...responses, ...pages];
