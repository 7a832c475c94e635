import type { Field } from '../../operations/fieldKinds';
import { simplifyField } from '../../operations/simplifyField';
import { bodyOptionsField } from '../requestBody';
import { sendBlankVariablesField, templateMessageFields } from './templateMessage';

const interval = { limitType: ['afterTimeInterval'] } as const;

/** Whom to ask, what, and for how long to wait. The limit's fields have the names that n8n gives them. */
export const sendAndWaitFields = [
	...templateMessageFields,
	{
		displayName: 'Message',
		name: 'message',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		placeholder: 'e.g. May we ship your order today?',
		description:
			"Text that is different each time. It takes the place of the template's variable that 'Message Variable' names. Line breaks become spaces.",
		role: 'adds',
	},
	{
		displayName: 'Message Variable',
		name: 'messageVariable',
		type: 'string',
		default: '',
		placeholder: 'e.g. 1',
		description: "The variable of the template that stands for 'Message'",
		role: 'adds',
	},
	{
		displayName: 'Wait For',
		name: 'waitFor',
		type: 'options',
		default: 'message.received',
		description: 'What ends the wait: the first message or form from the contact, whatever it says',
		options: [
			{
				name: 'Form',
				value: 'form.submitted',
				description: 'The contact completes a form (flow)',
			},
			{
				name: 'Message',
				value: 'message.received',
				description: 'The contact writes a message, or presses a button of the template',
			},
		],
	},
	{
		displayName: 'Limit Wait Time',
		name: 'limitType',
		type: 'options',
		default: 'afterTimeInterval',
		description: 'When to go on without a reply. 30 days at most.',
		options: [
			{
				name: 'After Time Interval',
				value: 'afterTimeInterval',
				description: 'Waits for a certain amount of time',
			},
			{
				name: 'At Specified Time',
				value: 'atSpecifiedTime',
				description: 'Waits until a date and time',
			},
		],
	},
	{
		displayName: 'Amount',
		name: 'resumeAmount',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 1,
		description: 'The longest time to wait. n8n goes on up to a minute later.',
		showWhen: interval,
	},
	{
		displayName: 'Unit',
		name: 'resumeUnit',
		type: 'options',
		default: 'days',
		options: [
			{ name: 'Days', value: 'days' },
			{ name: 'Hours', value: 'hours' },
			{ name: 'Minutes', value: 'minutes' },
		],
		showWhen: interval,
	},
	{
		displayName: 'Max Date and Time',
		name: 'maxDateAndTime',
		type: 'dateTime',
		default: '',
		description: "Until when to wait, in the workflow's time zone",
		showWhen: { limitType: ['atSpecifiedTime'] },
	},
	{
		...bodyOptionsField,
		options: [
			{
				displayName: 'Approval Words',
				name: 'approvalWords',
				type: 'string',
				default: 'yes, ok, approve',
				description:
					"Replies that count as a yes (comma-separated). Then 'approved' in the output is true. The whole reply must be one of them; upper and lower case do not matter.",
				accepts: 'names',
			},
			...bodyOptionsField.options,
			sendBlankVariablesField,
			simplifyField,
		],
	},
] as const satisfies readonly Field[];
