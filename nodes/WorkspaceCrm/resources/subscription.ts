import { endpoints } from '../crm/endpoints';
import { SUBSCRIPTION_CONFLICT } from '../crm/crmError';
import { EVENT_TYPES } from '../crm/records';
import { isPublicHttpsUrl } from '../crm/urls';
import { InputProblem, quoted, wrongValue } from '../domain/inputProblem';
import { defineOperation } from '../operations/define';
import { off, text } from '../operations/fieldBuilders';
import { optionsCollection } from '../operations/sharedFields';
import { shownSubscription } from '../events/subscriptions';
import { limitField, pageLimits, returnAllField } from './fields/getMany';
import { subscriptionField } from './fields/recordField';

export const createSubscription = defineOperation({
	value: 'create',
	name: 'Create',
	action: 'Create subscription',
	description:
		'Have the service send events to a URL. To start a workflow on events, use the trigger node instead.',
	// With a second subscription for the URL, every event would arrive twice.
	effect: 'once',
	fields: [
		text('URL', 'url', {
			required: true,
			placeholder: 'e.g. https://example.com/events',
			description: 'Where the events are sent. It must be a public https address.',
		}),
		{
			displayName: 'Events',
			name: 'events',
			type: 'multiOptions',
			default: [],
			required: true,
			options: EVENT_TYPES,
			description:
				'Which events are sent. An expression can name further ones, as an array or comma-separated text.',
			accepts: 'names',
		},
		{
			...optionsCollection,
			options: [
				off('Include Signing Secret', 'includeSecret', {
					description:
						'Whether to output the secret that the receiver needs to verify deliveries. The service shows it only this once, and n8n stores it with the execution.',
				}),
			],
		},
	],

	async execute(api, { url, events, options }) {
		if (!isPublicHttpsUrl(url)) {
			throw new InputProblem(
				`'URL' is ${quoted(url)}, which the service cannot reach`,
				'Give a public address that starts with https://.',
			);
		}
		const subscription = await api.sendForRecord(endpoints.createSubscription(), {
			body: { url, events },
			advice: { 409: SUBSCRIPTION_CONFLICT },
		});
		return options.includeSecret ? subscription : shownSubscription(subscription);
	},
});

export const deleteSubscription = defineOperation({
	value: 'delete',
	name: 'Delete',
	action: 'Delete subscription',
	description: 'Stop sending events to the URL of a subscription',
	effect: 'idempotent',
	fields: [subscriptionField],

	async execute(api, { subscriptionId }) {
		const { value } = subscriptionId;
		// The service answers as if it had deleted what does not exist.
		if (isPublicHttpsUrl(value))
			throw wrongValue(
				'Subscription',
				value,
				'the ID of a subscription, as Subscription › Get Many gives it',
			);
		await api.send(endpoints.deleteSubscription(value));
		return { deleted: true };
	},
});

export const getSubscriptions = defineOperation({
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many subscriptions',
	description:
		'List the active webhook subscriptions of the workspace, with those of executions that wait for a reply',
	effect: 'read',
	fields: [returnAllField, limitField],

	async execute(api, params) {
		const subscriptions = await api.list(endpoints.getSubscriptions(), pageLimits(params));
		return subscriptions.map(shownSubscription);
	},
});
