import type { INodeType } from 'n8n-workflow';

import manifest from '../../package.json';

/** Every node that package.json names, from its sources. */
export const nodes: INodeType[] = manifest.n8n.nodes.map((file) => {
	const source = file.replace('dist/', '../../').replace('.js', '');
	const [Node] = Object.values(jest.requireActual<Record<string, new () => INodeType>>(source));
	return new Node();
});
