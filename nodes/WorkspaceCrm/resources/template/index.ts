import type { Resource } from '../../operations/define';
import { getAll } from './getAll';

export const template: Resource = {
	value: 'template',
	name: 'Template',
	operations: [getAll],
};
