import { text } from '../../../operations/fieldBuilders';

export const campaignKeyField = text('Campaign Key', 'campaignKey', {
	required: true,
	placeholder: 'e.g. spring-sale-2026',
	description:
		'The name of this campaign. A contact that got, or may have got, the message in any run with this key does not get it again. Lowercase letters, digits, - and _.',
	hint: 'Nobody gets two messages with one key. Lowercase letters, digits, - and _.',
});
