import type { Resource } from '../../operations/define';
import { enroll } from './enroll';
import { getAll } from './getAll';

export const automation: Resource = {
	value: 'automation',
	name: 'Automation',
	operations: [enroll, getAll],
};
