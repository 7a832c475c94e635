import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/**
 * What the service calls the fields of the two bodies that the API reference does not show. A name
 * with dots is a field in an object: `template.name`.
 */
export interface SendFields {
	contactField: string;
	contactAs: 'id' | 'phone';
	templateField: string;
	variablesField: string;
	/** `{ "1": "Anna" }`, `["Anna"]`, or `[{ "name": "1", "value": "Anna" }]`. */
	variablesAs: 'object' | 'list' | 'pairs';
}

export type EnrollFields = Pick<SendFields, 'contactField' | 'contactAs'>;

export interface BodyFields {
	send: SendFields;
	enroll: EnrollFields;
}

const ASSUMED: SendFields = {
	contactField: 'contact_id',
	contactAs: 'id',
	templateField: 'template',
	variablesField: 'variables',
	variablesAs: 'object',
};

/** What the settings are called in the credential. */
export const SETTINGS = {
	switch: 'Other Field Names',
	contactField: 'Contact Field',
	contactAs: 'Contact As',
	templateField: 'Template Field',
	variablesField: 'Variables Field',
	variablesAs: 'Variables As',
	enrollContactField: 'Enrollment Contact Field',
	enrollContactAs: 'Enrollment Contact As',
} as const;

/** The names that the credential gives, or those that we assume for settings that are blank. */
export function readBodyFields(credential: ICredentialDataDecryptedObject): BodyFields {
	const { contactField: contact } = ASSUMED;
	if (credential.otherFieldNames !== true) {
		const enroll = { contactField: contact, contactAs: ASSUMED.contactAs };
		return { send: ASSUMED, enroll };
	}
	const readName = (value: unknown, assumed: string) =>
		(typeof value === 'string' && value.trim()) || assumed;
	const readContactAs = (value: unknown) => (value === 'phone' ? 'phone' : 'id');
	const { variablesAs } = credential;
	const send: SendFields = {
		contactField: readName(credential.contactField, contact),
		contactAs: readContactAs(credential.contactAs),
		templateField: readName(credential.templateField, ASSUMED.templateField),
		variablesField: readName(credential.variablesField, ASSUMED.variablesField),
		variablesAs: variablesAs === 'list' || variablesAs === 'pairs' ? variablesAs : 'object',
	};
	const enroll: EnrollFields = {
		contactField: readName(credential.enrollContactField, contact),
		contactAs: readContactAs(credential.enrollContactAs),
	};
	return { send, enroll };
}
