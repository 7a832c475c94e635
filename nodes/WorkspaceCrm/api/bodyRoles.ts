import { SETTINGS, type BodyFields, type CHOICES } from './bodyFields';

/** What a field of an assumed body stands for, and the setting in the credential that names it. */
export interface Role {
	setting: string;
	/** What the setting says now. */
	field: string;
	/** What services call it for sure, and what they may call it. */
	names: RegExp;
	maybe?: RegExp;
	/** The setting that says in which form the value is sent, and the form now. */
	form?: { setting: string; current: keyof typeof CHOICES };
}

const CONTACT =
	/(^|\.)(to|msisdn|(whats_?app_?|wa_?)?(contact|recipient|receiver|customer|subscriber|phone|mobile)([_.]?(id|uuid|phone|number|phone_?number))?)$/i;
const MAYBE_CONTACT = /(^|\.)(user|person|member|lead|profile|client)(_?(id|uuid|phone))?$/i;

/** The roles in the body of POST /v1/messages/template. */
export function sendRoles({ send }: BodyFields): Role[] {
	return [
		{
			setting: SETTINGS.variablesField,
			field: send.variablesField,
			names:
				/(^|\.)((template|body)_?)?(variables|params|parameters|placeholders|components|arguments|substitutions)$/i,
			maybe: /(^|\.)(values|data|body)$/i,
			form: { setting: SETTINGS.variablesAs, current: send.variablesAs },
		},
		{
			setting: SETTINGS.templateField,
			field: send.templateField,
			names: /(^|\.)(message_?)?(template|tpl|hsm)([_.]?(name|id|key|code|slug))?$/i,
			maybe: /^name$/i,
		},
		{
			setting: SETTINGS.contactField,
			field: send.contactField,
			names: CONTACT,
			maybe: MAYBE_CONTACT,
			form: { setting: SETTINGS.contactAs, current: send.contactAs },
		},
	];
}

/** The role in the body of POST /v1/automations/{id}/enroll. */
export function enrollRoles({ enroll }: BodyFields): Role[] {
	return [
		{
			setting: SETTINGS.enrollContactField,
			field: enroll.contactField,
			names: CONTACT,
			maybe: MAYBE_CONTACT,
			form: { setting: SETTINGS.enrollContactAs, current: enroll.contactAs },
		},
	];
}
