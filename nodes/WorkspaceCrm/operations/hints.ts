import type { NodeHint } from 'n8n-workflow';

import type { Resource } from './define';

/** The hints of all operations, each shown before a run, for its own operation only. */
export function nodeHints(resources: readonly Resource[]): NodeHint[] {
	return resources.flatMap((resource) =>
		resource.operations.flatMap(({ value: operation, hints = [] }) =>
			hints.map(({ message, when = 'true' }): NodeHint => {
				const isChosen = `$parameter["resource"] === "${resource.value}" && $parameter["operation"] === "${operation}"`;
				return {
					message,
					type: 'info',
					location: 'outputPane',
					whenToDisplay: 'beforeExecution',
					displayCondition: `={{ ${isChosen} && (${when}) }}`,
				};
			}),
		),
	);
}
