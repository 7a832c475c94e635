import { operationCases } from '../operationCases';
import type { RecordedRequest } from '../../tools/sandbox';

const queryNames = ['limit', 'offset', 'search', 'tag', 'opt_in_status'];

/** Whether the operation may make this request. Each value in it must be one encoded segment. */
export function isAllowed(operation: string, request: RecordedRequest): boolean {
	const { method, path, query } = request;
	if (Object.keys(query).some((name) => !queryNames.includes(name))) return false;
	const { endpoints, alsoAsks = [] } = operationCases[operation];
	return [...endpoints, ...alsoAsks].some((endpoint) => {
		const [wantedMethod, pattern] = endpoint.split(' ');
		const wanted = pattern.split('/');
		const given = path.split('/');
		return (
			method === wantedMethod &&
			given.length === wanted.length &&
			given.every((text, index) =>
				wanted[index] === '*' ? isSegment(text) : text === wanted[index],
			)
		);
	});
}

function isSegment(text: string): boolean {
	return /^[\w.~!*'()%-]+$/.test(text) && !['.', '..'].includes(decodeURIComponent(text));
}
