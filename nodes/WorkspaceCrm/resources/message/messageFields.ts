import type { Field } from '../../operations/fieldKinds';
import { templateField } from '../recordField';

/** The fields for the content of a message. */
export const messageFields = [
	templateField,
	{
		displayName: 'Variables',
		name: 'templateVariables',
		type: 'resourceMapper',
		noDataExpression: true,
		default: { mappingMode: 'defineBelow', value: null },
		description:
			"Values for the variables of the template. A blank one is an error, unless 'Send Blank Variables' under 'Options' is on.",
		role: 'adds',
		typeOptions: {
			loadOptionsDependsOn: ['template.value'],
			resourceMapper: {
				resourceMapperMethod: 'getTemplateVariables',
				mode: 'map',
				valuesLabel: 'Variables',
				fieldWords: { singular: 'variable', plural: 'variables' },
				addAllFields: true,
				multiKeyMatch: false,
				supportAutoMap: false,
				hideNoDataError: true,
			},
		},
	},
] as const satisfies readonly Field[];

export const variableOptions = [
	{
		displayName: 'Other Variables',
		name: 'variables',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Variable' },
		default: {},
		placeholder: 'Add Variable',
		description:
			"Variables of the template that are not listed under 'Variables'. A variable left blank is not sent. If a name is in both, the value here is used.",
		role: 'adds',
		options: [
			{
				displayName: 'Variable',
				name: 'values',
				values: [
					{
						displayName: 'Name',
						name: 'name',
						type: 'string',
						default: '',
						placeholder: 'e.g. 1 or first_name',
					},
					{ displayName: 'Value', name: 'value', type: 'string', default: '' },
				],
			},
		],
	},
	{
		displayName: 'Send Blank Variables',
		name: 'sendBlankVariables',
		type: 'boolean',
		default: true,
		description: 'Whether to send the message even if some of its variables are blank',
	},
] as const satisfies readonly Field[];
