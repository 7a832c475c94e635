import type { Field } from '../../../operations/fieldKinds';

export const campaignKeyField = {
	displayName: 'Campaign Key',
	name: 'campaignKey',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. spring-sale-2026',
	description:
		'The name of this campaign. A contact that got, or may have got, the message in any run with this key does not get it again. Lowercase letters, digits, - and _.',
	hint: 'Nobody gets two messages with one key. Lowercase letters, digits, - and _.',
} as const satisfies Field;
