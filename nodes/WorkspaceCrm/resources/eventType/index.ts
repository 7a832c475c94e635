import type { Resource } from '../../operations/define';
import { getAll } from './getAll';

export const eventType: Resource = {
	value: 'eventType',
	name: 'Event Type',
	operations: [getAll],
};
