import type { Field } from '../../../operations/define';
import { attributesField, attributesJsonField, defaultCountryField } from '../fields';

export const syncFields = [
	{
		displayName: 'Columns',
		name: 'columns',
		type: 'resourceMapper',
		noDataExpression: true,
		default: { mappingMode: 'defineBelow', value: null },
		required: true,
		description:
			"'Phone' identifies the contact. Blank values change nothing. 'Consent Proof' cannot be read back, so it is sent only together with 'Opt In', with a new contact, or, where 'Opt In' is not mapped, with other changes.",
		typeOptions: {
			resourceMapper: {
				resourceMapperMethod: 'getContactColumns',
				// As when adding: the phone is mandatory. To choose what to match on, there is only the phone.
				mode: 'add',
				valuesLabel: 'Values to Sync',
				fieldWords: { singular: 'column', plural: 'columns' },
				addAllFields: true,
				multiKeyMatch: false,
				supportAutoMap: true,
				refreshStaleSchemaOnOpen: true,
			},
		},
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		perRun: true,
		options: [
			{ ...attributesField, perRun: false },
			{ ...attributesJsonField, perRun: false },
			{ ...defaultCountryField, perRun: false },
			{
				displayName: 'Dry Run',
				name: 'dryRun',
				type: 'boolean',
				default: true,
				description:
					'Whether to change nothing, and to output what a run would do. The value of the first item counts for all.',
			},
			{
				displayName: 'Missing Contacts',
				name: 'missing',
				type: 'options',
				default: 'ignore',
				description:
					'What to do with contacts of the CRM that are not in the input. They are never changed or erased. The value of the first item counts for all.',
				options: [
					{ name: 'Ignore', value: 'ignore' },
					{
						name: 'Output',
						value: 'output',
						description: "They come out after the others, with the action 'missing'",
					},
				],
			},
			{
				displayName: 'Opt In Opted-Out Contacts',
				name: 'optInOptedOut',
				type: 'boolean',
				default: false,
				description:
					'Whether contacts who opted out may be opted in again. If not, only their other fields are saved, and the output says so. The value of the first item counts for all.',
			},
			{
				displayName: 'Other Columns',
				name: 'otherColumns',
				type: 'options',
				default: 'ignore',
				description:
					'What to do with columns of the input that no contact has, when mapping automatically. The value of the first item counts for all.',
				options: [
					{
						name: 'Ignore',
						value: 'ignore',
						description: 'The summary of the run names them',
					},
					{ name: 'Save as Attributes', value: 'attributes' },
				],
			},
			{
				displayName: 'Stop at First Problem',
				name: 'stopAtFirstProblem',
				type: 'boolean',
				default: true,
				description:
					'Whether one item that cannot be done ends the run: before anything is sent if it is invalid, else at once. Otherwise all others are done before the run fails. Used only if the node is set to stop on errors. The value of the first item counts for all.',
			},
			{
				displayName: 'Tag Mode',
				name: 'tagMode',
				type: 'options',
				default: 'add',
				description:
					'What to do with tags that the contact has and the item does not give. The value of the first item counts for all.',
				options: [
					{ name: 'Add', value: 'add', description: 'They stay' },
					{
						name: 'Match',
						value: 'match',
						description: 'They are removed. An item without any tags removes none.',
					},
				],
			},
			{
				displayName: 'Tag Prefix',
				name: 'tagPrefix',
				type: 'string',
				default: '',
				placeholder: 'e.g. import:',
				description:
					"Only tags that begin with this are removed, where 'Tag Mode' is 'Match'. The value of the first item counts for all.",
			},
		],
	},
] as const satisfies readonly Field[];
