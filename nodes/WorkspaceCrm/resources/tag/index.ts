import type { Resource } from '../../operations/define';
import { add } from './add';
import { getAll } from './getAll';
import { remove } from './remove';

export const tag: Resource = {
	value: 'tag',
	name: 'Tag',
	operations: [add, getAll, remove],
};
