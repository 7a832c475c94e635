import type { Resource } from '../../operations/define';
import { create } from './create';
import { deleteSubscription } from './delete';
import { getAll } from './getAll';

export const subscription: Resource = {
	value: 'subscription',
	name: 'Subscription',
	operations: [create, deleteSubscription, getAll],
};
