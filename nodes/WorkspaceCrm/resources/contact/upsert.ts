import type { Api } from '../../api/api';
import { CrmError } from '../../api/errors';
import { path } from '../../domain/path';
import {
	COUNTRIES,
	normalizePhone,
	phoneDigits,
	readCountryCode,
	readPhoneText,
} from '../../domain/phone';
import { defineOperation } from '../../operations/define';
import { readAttributes } from './body';
import {
	attributesField,
	attributesJsonField,
	localeField,
	nameField,
	sourceField,
} from './fields';

export const upsert = defineOperation({
	value: 'upsert',
	name: 'Create or Update',
	action: 'Create or update contact',
	description: 'Create a new contact, or update the current one if it already exists (upsert)',
	fields: [
		{
			displayName: 'Phone',
			name: 'phone',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. +49 1512 3456789',
			description:
				"Identifies the contact. Give it with country code, or set 'Default Country' for national numbers; spaces, dashes and brackets do not matter.",
			accepts: 'any',
		},
		{
			displayName: 'Additional Fields',
			name: 'additionalFields',
			type: 'collection',
			placeholder: 'Add Field',
			default: {},
			options: [
				attributesField,
				attributesJsonField,
				{
					displayName: 'Consent Proof',
					name: 'consentProof',
					type: 'string',
					default: '',
					placeholder: 'e.g. Checkbox at checkout, 2026-05-01',
					description: 'How the consent was collected',
				},
				{
					displayName: 'Default Country',
					name: 'defaultCountry',
					type: 'options',
					default: 'US',
					options: COUNTRIES.map(({ name, code }) => ({ name, value: code })),
					description: 'Country in which a phone number without country code is read',
					accepts: 'any',
				},
				localeField,
				nameField,
				{
					displayName: 'Opt In',
					name: 'optIn',
					type: 'boolean',
					default: true,
					description: 'Whether the contact agreed to receive messages',
				},
				sourceField,
				{
					displayName: 'Tags',
					name: 'tags',
					type: 'string',
					default: '',
					placeholder: 'e.g. vip, newsletter',
					description:
						'Tags to attach, as comma-separated names or an array by expression. Tags that do not exist yet are created, and automations may start.',
					accepts: 'names',
				},
			],
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [
				{
					displayName: 'Normalize Phone',
					name: 'normalizePhone',
					type: 'boolean',
					default: true,
					description:
						'Whether to bring the phone number into international format before it is sent. Turn it off to send it as it is.',
				},
			],
		},
	],

	lane({ phone, additionalFields: { defaultCountry }, options }) {
		// What is sent as it is, the service may read as any number: all in one lane.
		if (options.normalizePhone === false) return '';
		return phoneDigits(normalizePhone(phone, readCountry(defaultCountry)));
	},

	async execute(api, { phone, additionalFields, options }) {
		const { attributes, attributesJson, consentProof, defaultCountry, locale, optIn, ...plain } =
			additionalFields;
		const country = readCountry(defaultCountry);
		const readPhone = options.normalizePhone === false ? readPhoneText : normalizePhone;

		const contact = await api.sendForRecord({
			method: 'POST',
			path: path`/v1/contacts`,
			body: {
				phone: readPhone(phone, country),
				...plain,
				...(country !== undefined && { default_country: country }),
				...readAttributes(attributes, attributesJson),
				...(optIn !== undefined && { opt_in: optIn }),
				...(consentProof !== undefined && { consent_proof: consentProof }),
			},
			repeatable: true,
		});
		// The POST knows no locale, so it takes a second request, and only when there is a difference.
		if (locale === undefined || contact.locale === locale) return contact;
		return { ...contact, ...(await setLocale(api, String(contact.id), locale)) };
	},
});

function readCountry(value: unknown): string | undefined {
	return value === undefined ? undefined : readCountryCode(value);
}

async function setLocale(api: Api, id: string, locale: string) {
	try {
		return await api.sendForRecord({
			method: 'PATCH',
			path: path`/v1/contacts/${id}`,
			body: { locale },
			repeatable: true,
		});
	} catch (error) {
		throw onlyLocaleFailed(error, id);
	}
}

function onlyLocaleFailed(error: unknown, id: string): unknown {
	if (!(error instanceof CrmError)) return error;
	return error.headed(`The contact ${id} was saved, but its locale was not set`);
}
