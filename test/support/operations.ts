import type { Field } from '../../nodes/WorkspaceCrm/operations/fieldKinds';
import { resources } from '../../nodes/WorkspaceCrm/resources';

/** Every operation of the action node, under the names that workflows save. */
export const operations = resources.flatMap(({ value: resource, operations }) =>
	operations.map(({ value: operation, action, fields, forAgents = true, takes }) => ({
		...{ resource, operation, action, forAgents, takes },
		use: `${resource} ${operation}`,
		fields: fields as readonly Field[],
	})),
);
