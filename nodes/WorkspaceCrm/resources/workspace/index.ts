import type { Resource } from '../../operations/define';
import { get } from './get';

export const workspace: Resource = {
	value: 'workspace',
	name: 'Workspace',
	operations: [get],
};
