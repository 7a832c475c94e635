import type { Resource } from '../../operations/define';
import { getContacts } from './getContacts';
import { getAll } from './getAll';

export const segment: Resource = {
	value: 'segment',
	name: 'Segment',
	operations: [getContacts, getAll],
};
