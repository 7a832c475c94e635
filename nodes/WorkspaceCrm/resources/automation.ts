import { enrollBody, SETTINGS, withAnswer } from '../crm/assumptions';
import { endpoints } from '../crm/endpoints';
import type { ErrorTexts } from '../crm/crmError';
import { defineOperation } from '../operations/define';
import type { Field } from '../operations/fieldKinds';
import { contactFields, findContact, contactForBody } from './fields/contactReference';
import { getManyOf } from './fields/getMany';
import { failedResult } from '../operations/result';
import { onConflictField, skipConflict } from './fields/onConflict';
import { automationField } from './fields/recordField';
import { bodyOptionsField, chooseBody, readBody } from './fields/requestBody';

const IF_REFUSED = 'If Opted Out or Already Enrolled';

const optionsField = {
	...bodyOptionsField,
	options: [
		{
			...onConflictField,
			displayName: IF_REFUSED,
			description: 'What to do if the service refuses the enrollment (HTTP 409)',
		},
		...bodyOptionsField.options,
	],
} as const satisfies Field;

export const enroll = defineOperation({
	value: 'enroll',
	name: 'Enroll Contact',
	action: 'Enroll contact in automation',
	description: 'Start an automation for a contact. This cannot be undone.',
	hints: [
		{
			message:
				'A contact is enrolled at most once per item: if the outcome is unknown, the request is not retried, and the item fails.',
		},
	],
	effect: 'once',
	fields: [automationField, ...contactFields, optionsField],
	ifFailed: failedResult,

	async execute(api, { automationId, options, ...contact }) {
		readBody(options);
		const { enroll: names } = api.bodyFields();
		const found = await contactForBody(api, await findContact(api, contact), names);
		const chosen = chooseBody(enrollBody(found, names), options);
		const enrollment = { automation_id: automationId.value, ...chosen.body };
		const request = { ...chosen, advice: ADVICE };
		const { record, ...said } = await api.send(endpoints.enroll(automationId.value), request).then(
			(answer) => ({ result: 'enrolled' as const, record: withAnswer(enrollment, answer) }),
			(error: unknown) => ({
				...skipConflict(error, 'conflict', IF_REFUSED, options.onConflict),
				record: enrollment,
			}),
		);
		// Ours come first and override those of the answer.
		return { ...said, ...record, ...said };
	},
});

const ADVICE: ErrorTexts['advice'] = {
	404: [
		'There is no such automation, or no such contact, in this workspace',
		`Nothing was enrolled. Choose both from their lists. The credential may also belong to another workspace, or use another form of the contact than the service ('${SETTINGS.enrollContactAs}').`,
	],
	409: [
		'The contact was not enrolled: already enrolled, opted out, or the automation is inactive',
		'If the automation is inactive, activate it in the CRM. Otherwise, check the contact there.',
	],
};

export const getAutomations = getManyOf(endpoints.getAutomations(), {
	action: 'Get many automations',
	description: 'List the automations of the workspace',
});
