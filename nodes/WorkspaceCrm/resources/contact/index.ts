import type { Resource } from '../../operations/define';
import { upsert } from './upsert';
import { deleteContact } from './delete';
import { get } from './get';
import { getAll } from './getAll';
import { sync } from './sync/sync';
import { update } from './update';

export const contact: Resource = {
	value: 'contact',
	name: 'Contact',
	operations: [upsert, deleteContact, get, getAll, sync, update],
};
