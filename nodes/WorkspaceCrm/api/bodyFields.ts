import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/**
 * The field names in the two bodies that the API reference does not show. Dots separate nested fields:
 * `template.name`.
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

/** The labels of these settings in the credential. */
export const SETTINGS = {
	switch: 'Different Field Names (Advanced)',
	contactField: 'Contact Field',
	contactAs: 'Contact As',
	templateField: 'Template Field',
	variablesField: 'Variables Field',
	variablesAs: 'Variables As',
	enrollContactField: 'Enrollment Contact Field',
	enrollContactAs: 'Enrollment Contact As',
} as const;

/** Reads the names from the credential; blank settings get our assumed names. */
export function readBodyFields(credential: ICredentialDataDecryptedObject): BodyFields {
	const given = credential.otherFieldNames === true ? credential : {};
	const readName = (value: unknown, assumed: string) =>
		(typeof value === 'string' && value.trim()) || assumed;
	const readContactAs = (value: unknown) => (value === 'phone' ? 'phone' : 'id');
	const { variablesAs } = given;
	return {
		send: {
			contactField: readName(given.contactField, 'contact_id'),
			contactAs: readContactAs(given.contactAs),
			templateField: readName(given.templateField, 'template'),
			variablesField: readName(given.variablesField, 'variables'),
			variablesAs: variablesAs === 'list' || variablesAs === 'pairs' ? variablesAs : 'object',
		},
		enroll: {
			contactField: readName(given.enrollContactField, 'contact_id'),
			contactAs: readContactAs(given.enrollContactAs),
		},
	};
}
