import { path } from '../../api/urls';
import { defineOperation } from '../../operations/define';
import { subscriptionField } from '../recordField';

export const deleteSubscription = defineOperation({
	value: 'delete',
	name: 'Delete',
	action: 'Delete subscription',
	description: 'Stop sending events to the URL of a subscription',
	effect: 'idempotent',
	fields: [subscriptionField],

	async execute(api, { subscriptionId }) {
		const id = subscriptionId.value;
		await api.send({ method: 'DELETE', path: path`/v1/subscriptions/${id}` });
		return { id, deleted: true };
	},
});
