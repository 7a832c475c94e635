import type { Contact } from '../../crm/records';
import type { JsonObject } from '../../domain/plainData';
import { isoCountryOf, readCountry, readPhone, readPhoneText } from '../../domain/phone';
import { keysOf, phoneForms } from '../../domain/sameNumber';
import { defineOperation } from '../../operations/define';
import { choice, collection, on, text } from '../../operations/fieldBuilders';
import {
	knownTagsField,
	optionsCollection,
	tagsField,
	YES_OR_NO,
} from '../../operations/sharedFields';
import { defaultCountryField, findByPhone } from '../fields/contactReference';
import { asKnownTags } from '../tag';
import { asContactHas, byLabel, changeableFields, valuesToSend } from './contactFields';
import { otherStatus, otherStatuses } from './optInAnswer';
import { saveContact, withLocale } from './save';

export const upsert = defineOperation({
	value: 'upsert',
	name: 'Create or Update',
	action: 'Create or update contact',
	description: 'Create a new contact, or update the current one if it already exists (upsert)',
	hints: [
		{
			message:
				"This number does not start with a plus. Add 'Default Country' under 'Additional Fields': the country of national numbers, or International for numbers that start with their country code.",
			when: '/^[0-9(]/.test(String($rawParameter["phone"]).trim().replace(/^00/, "+")) && !$rawParameter["additionalFields"]?.["defaultCountry"]',
		},
	],
	effect: 'idempotent',
	fields: [
		text('Phone', 'phone', {
			required: true,
			placeholder: 'e.g. +49 1512 3456789',
			description:
				"Identifies the contact. Enter it with a plus and its country code, or set 'Default Country' for numbers without a plus. Spaces, dashes and brackets do not matter.",
			accepts: 'any',
			builderHint: {
				propertyHint:
					'With country code and a plus, such as +4915123456789. Where the input has national numbers, set additionalFields.defaultCountry to their country; where all have a country code but no plus, to International. Never put a country code in front by yourself.',
			},
		}),
		collection('Additional Fields', 'additionalFields', {
			placeholder: 'Add Field',
			mayBeNothing: true,
			options: byLabel([
				...changeableFields,
				knownTagsField,
				defaultCountryField,
				text('Consent Proof', 'consentProof', {
					placeholder: 'e.g. Checkbox at checkout, 2026-05-01',
					description: 'How the consent was collected',
				}),
				{
					...tagsField,
					description: `${tagsField.description} Tags that do not exist yet are created, and automations may start.`,
				},
				choice('Opt In', 'optIn', '', {
					description:
						"Whether the contact agreed to receive messages. Yes also re-subscribes a contact who has opted out; Contact > Sync and campaigns protect opted-out contacts. If the CRM then shows another status, 'opt_in_note' in the output says so.",
					options: YES_OR_NO,
					accepts: 'yesNo',
				}),
			]),
		}),
		{
			...optionsCollection,
			options: [
				on('Normalize Phone', 'normalizePhone', {
					description:
						'Whether to send the phone number in international format. Turn it off to send it as typed.',
				}),
			],
		},
	],

	order({ phone, additionalFields, options }) {
		// The service may read a number that is sent as typed as any number, so all items share a key.
		if (options.normalizePhone === false) return '';
		return keysOf({ phone: readTypedPhone(phone, additionalFields.defaultCountry) })[0];
	},

	async execute(api, { phone, additionalFields, options }) {
		const {
			consentProof,
			defaultCountry,
			knownTags = [],
			optIn,
			tags = [],
			...rest
		} = additionalFields;
		const { locale, ...contact } = valuesToSend(rest);
		const allTags = await asKnownTags(api, [...new Set([...knownTags, ...tags])]);
		const country = isoCountryOf(readCountry(defaultCountry));
		const number = readTypedPhone(phone, defaultCountry, options.normalizePhone);

		const isTyped = options.normalizePhone === false;
		let finding: Promise<Contact | undefined> | undefined;
		const find = async () => await (finding ??= findByPhone(api, number));
		const named = await asContactHas(contact, async () => (isTyped ? undefined : await find()));
		const body = {
			phone: isTyped ? number : await storedForm(number, find),
			...named,
			...(allTags.length > 0 && { tags: allTags }),
			...(country !== undefined && { default_country: country }),
			...(optIn !== undefined && { opt_in: optIn }),
			...(consentProof !== undefined && { consent_proof: consentProof }),
		};
		const { record } = await withLocale(api, await saveContact(api, body), locale);
		const status = otherStatus({ optIn, record });
		return { ...record, ...(status && { opt_in_note: `The contact ${status}.` }) };
	},

	summarize(done) {
		const answers = done.map(({ params, json }) => {
			return { optIn: params?.additionalFields?.optIn, record: json as JsonObject };
		});
		return otherStatuses(answers).join('<br>');
	},
});

/** The form of a number that the CRM has, so that no second contact is created under another one. */
async function storedForm(
	phone: string,
	find: () => Promise<Contact | undefined>,
): Promise<string> {
	if (phoneForms(phone).length === 1) return phone;
	return (await find())?.phone ?? phone;
}

/** The number to send: in international format, or as typed. */
function readTypedPhone(phone: unknown, defaultCountry?: string, isNormalized = true): string {
	const plan = readCountry(defaultCountry);
	return isNormalized
		? readPhone(phone, plan, " under 'Additional Fields'").number
		: readPhoneText(phone);
}
