import { resources } from '../../nodes/WorkspaceCrm/resources';

/** Every operation of the action node, under the names that workflows save. */
export const operations = resources.flatMap(({ value: resource, operations }) =>
	operations.map(({ value: operation, action }) => ({ resource, operation, action })),
);
