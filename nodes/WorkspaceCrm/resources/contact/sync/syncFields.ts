import type { BulkItem } from '../../../operations/define';
import { choice, count, off, on, text } from '../../../operations/fieldBuilders';
import type { Field, Params } from '../../../operations/fieldKinds';
import { optionsCollection } from '../../../operations/sharedFields';
import { attributesField, attributesJsonField } from '../contactFields';
import { defaultCountryField } from '../../fields/contactReference';

/** In percent. */
export const MISSING_AT_MOST = 5;

export const syncFields = [
	{
		displayName: 'Columns',
		name: 'columns',
		type: 'resourceMapper',
		noDataExpression: true,
		default: { mappingMode: 'defineBelow', value: null },
		required: true,
		description:
			"'Phone' identifies the contact. To change contacts that exist by their IDs, add the column 'Contact ID' with 'Add column to send'; attributes that are objects, lists or yes/no are there, too. Blank values change nothing. The attributes listed are those of up to 300 contacts; add others under 'Options'. 'Opt In' set to No is sent on every run until the contact has opted out. 'Consent Proof' cannot be read back, so it is sent only with 'Opt In', with a new contact, or, if 'Opt In' is not mapped, with other changes.",
		typeOptions: {
			resourceMapper: {
				resourceMapperMethod: 'getContactColumns',
				// Mode `add`, because the user does not choose what to match on: the ID if a row has one, else the
				// phone.
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
		...optionsCollection,
		description:
			'The values of the first item are used for all items, except for Attributes and Default Country, which can differ',
		across: 'first',
		options: [
			{ ...attributesField, across: 'each' },
			{ ...attributesJsonField, across: 'each' },
			{ ...defaultCountryField, across: 'each' },
			on('Dry Run', 'dryRun', {
				// Left blank in JSON, it must not count as off.
				required: true,
				description: 'Whether to only preview what would change, without changing anything',
			}),
			count('Missing at Most (%)', 'missingAtMost', MISSING_AT_MOST, {
				typeOptions: { minValue: 0, maxValue: 100 },
				description: `If more of the contacts with an international phone number are missing, the list may have been cut: none is listed, and the node fails once it has saved the items. Three may always be missing. ${MISSING_AT_MOST} if this option is not added.`,
			}),
			choice('Missing Contacts', 'missing', 'ignore', {
				description:
					'What to do with contacts of the CRM that are not in the input. They are never changed or erased. A contact is not listed if the last digits of its phone number stand in any field of the input.',
				options: [
					{ name: 'Ignore', value: 'ignore' },
					{
						name: 'Output',
						value: 'output',
						description: `They follow the other items, with the action 'missing', unless more than ${MISSING_AT_MOST}% are missing: see 'Missing at Most (%)'`,
					},
				],
			}),
			on('Only Update', 'onlyUpdate', {
				// Left blank in JSON, it must not count as off.
				required: true,
				description:
					'Whether to skip items whose contact is not in the CRM. If not, the contact is created.',
			}),
			choice('Other Columns', 'otherColumns', 'ignore', {
				description:
					'What to do with input columns that are not fields of a contact, when mapping automatically',
				options: [
					{ name: 'Ignore', value: 'ignore', description: 'The summary lists them' },
					{ name: 'Save as Attributes', value: 'attributes' },
				],
			}),
			off('Re-Subscribe Opted-Out Contacts', 'optInOptedOut', {
				description:
					'Whether to opt in contacts who have opted out. If not, only their other fields are saved, and the output says so.',
			}),
			on('Stop on First Error', 'stopAtFirstProblem', {
				description:
					"Whether to stop at the first item that fails: an invalid item stops the run before anything is sent. If not, the run fails after all other items are done. Used only if 'On Error' in the node's settings is 'Stop Workflow'.",
			}),
			choice('Tag Mode', 'tagMode', 'add', {
				description: 'What to do with tags of the contact that the item does not list',
				options: [
					{ name: 'Add', value: 'add', description: 'Keep them' },
					{
						name: 'Match',
						value: 'match',
						description: 'Remove them. An item without tags removes none.',
					},
				],
			}),
			text('Tag Prefix', 'tagPrefix', {
				// Left blank, it would let Match remove all tags.
				required: true,
				placeholder: 'e.g. import:',
				description:
					"If 'Tag Mode' is 'Match', only tags that begin with this, including a blank at its end, are removed",
				accepts: 'exactText',
			}),
		],
	},
] as const satisfies readonly Field[];

export type SyncItem = BulkItem<Params<typeof syncFields>>;
/** The options of the first item are those of the run, but for attributes and country. */
export type SyncOptions = Params<typeof syncFields>['options'];
