import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { InputProblem, shown } from '../domain/problem';

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

/** How the values of the credential's lists are called. */
export const CHOICES = {
	id: 'ID',
	phone: 'Phone Number',
	object: 'Object',
	list: 'List of Values',
	pairs: 'List of Names and Values',
} as const;

/**
 * The names that the credential gives, or those that we assume.
 *
 * @throws InputProblem for a name that no field can have, and for two that exclude each other
 */
export function readBodyFields(credential: ICredentialDataDecryptedObject): BodyFields {
	const { contactField: contact } = ASSUMED;
	if (credential.otherFieldNames !== true) {
		const enroll = { contactField: contact, contactAs: ASSUMED.contactAs };
		return { send: ASSUMED, enroll };
	}
	const readName = (name: FieldSetting, assumed: string) =>
		readFieldName(SETTINGS[name], credential[name]) ?? assumed;
	const readContactAs = (value: unknown) => (value === 'phone' ? 'phone' : 'id');
	const { variablesAs } = credential;
	const send: SendFields = {
		contactField: readName('contactField', contact),
		contactAs: readContactAs(credential.contactAs),
		templateField: readName('templateField', ASSUMED.templateField),
		variablesField: readName('variablesField', ASSUMED.variablesField),
		variablesAs: variablesAs === 'list' || variablesAs === 'pairs' ? variablesAs : 'object',
	};
	checkApart(send);
	const enroll: EnrollFields = {
		contactField: readName('enrollContactField', contact),
		contactAs: readContactAs(credential.enrollContactAs),
	};
	return { send, enroll };
}

type FieldSetting = 'contactField' | 'templateField' | 'variablesField' | 'enrollContactField';

const FIELD_NAME = /^[\w-]+(\.[\w-]+)*$/;

function readFieldName(label: string, value: unknown): string | undefined {
	const name = typeof value === 'string' ? value.trim() : '';
	if (name === '') return undefined;
	if (FIELD_NAME.test(name)) return name;
	throw new InputProblem(
		`'${label}' in the credential is ${shown(name)}, which is not the name of a field`,
		'A name has letters, digits, - and _. A dot makes a field in an object, as in template.name.',
	);
}

/** @throws InputProblem if one value would overwrite another in the body */
function checkApart(fields: SendFields): void {
	const names = [fields.contactField, fields.templateField, fields.variablesField];
	const inner = names.find((name, index) =>
		names.some((outer, other) => other !== index && `${name}.`.startsWith(`${outer}.`)),
	);
	if (inner === undefined) return;
	throw new InputProblem(
		`Two settings under '${SETTINGS.switch}' in the credential use the field '${inner}'`,
		'Give each of them a field of its own.',
	);
}
