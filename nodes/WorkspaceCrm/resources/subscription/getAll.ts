import { path } from '../../api/urls';
import { defineOperation } from '../../operations/define';
import { limitField, pageLimits, returnAllField } from '../paging';
import { shownSubscription } from '../../webhooks/subscriptions';

export const getAll = defineOperation({
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many subscriptions',
	description:
		'List the active webhook subscriptions of the workspace, with those of executions that wait for a reply',
	effect: 'read',
	fields: [returnAllField, limitField],

	async execute(api, params) {
		const list = { path: path`/v1/subscriptions`, isPaged: false };
		const subscriptions = await api.list({ ...list, ...pageLimits(params) });
		return subscriptions.map(shownSubscription);
	},
});
