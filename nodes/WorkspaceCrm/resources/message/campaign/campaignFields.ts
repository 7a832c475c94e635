import type { IExecuteFunctions } from 'n8n-workflow';

import { readCampaignKey } from '../../../domain/campaignMark';
import { InputProblem, quoted } from '../../../domain/inputProblem';
import { ItemFailure, optionsOf, type BulkItem } from '../../../operations/define';
import { count, on } from '../../../operations/fieldBuilders';
import { holdsExpression } from '../../../operations/savedValue';
import type { Field, Params } from '../../../operations/fieldKinds';
import { contactField, defaultCountryField } from '../../fields/contactReference';
import { bodyOptionsField } from '../../fields/requestBody';
import { campaignKeyField } from '../once/campaignKeyField';
import { messageBodyOptions, messageFields, variableOptions } from '../templateMessage';

/** The editor cuts off hints that are longer. */
const GET_CONTACTS =
	'Put Segment > Get Contacts or Contact > Get Many in front of this node, and run that first.';

export const campaignFields = [
	{
		...contactField,
		displayName: 'Contact of Each Item',
		default: { mode: 'id', value: '={{ $json.id }}' },
		description: `Usually the field id of each item. ${GET_CONTACTS}`,
		modes: contactField.modes.map((mode) =>
			mode.name === 'id' ? { ...mode, hint: GET_CONTACTS } : mode,
		),
	},
	campaignKeyField,
	...messageFields,
	{
		...bodyOptionsField,
		options: [
			defaultCountryField,
			on('Dry Run', 'dryRun', {
				// Left blank in JSON, it must not count as off.
				required: true,
				description:
					'Whether to only preview who would get the message, without sending or marking anything',
				across: 'first',
			}),
			...variableOptions,
			count('Stop After Failures', 'stopAfterFailures', 20, {
				description:
					'The campaign ends after this many failures in a row, and the remaining contacts stay unmarked. 20 if this option is not added.',
				across: 'first',
			}),
			count('Stop After Messages', 'stopAfterMessages', 1000, {
				description:
					'The run ends after this many messages, such as the daily limit of your messaging platform. The next run with the same campaign key goes on with the contacts that are left. No limit if this option is not added.',
				across: 'first',
			}),
			...messageBodyOptions,
		],
	},
] as const satisfies readonly Field[];

export type CampaignItem = BulkItem<Params<typeof campaignFields>>;

/**
 * Reads the settings of a run from the first item with readable options.
 *
 * @throws InputProblem or ItemFailure if the items cannot be those of one campaign
 */
export function readCampaignSettings(context: IExecuteFunctions, items: readonly CampaignItem[]) {
	assertContacts(items);
	assertOwnContacts(context, items.length);
	const key = readOneKey(items);
	const {
		dryRun = false,
		stopAfterFailures = 20,
		stopAfterMessages = Infinity,
	} = optionsOf(items) ?? {};
	return { key, isDryRun: dryRun, stopAfterFailures, stopAfterMessages };
}

/** If no item has a contact, usually the input is missing, and nothing is wrong with the field. */
function assertContacts(items: readonly CampaignItem[]): void {
	const problem = items[0]?.problem;
	if (!(problem instanceof InputProblem)) return;
	const { message } = problem;
	const isSame = ({ params, problem: own }: CampaignItem) =>
		params.contactId === undefined && own instanceof InputProblem && own.message === message;
	if (items.every(isSame)) {
		const remedy = `${GET_CONTACTS} For a sheet, choose 'Phone' in the drop-down in front of the field, and the column with the numbers. Else, correct this expression.`;
		throw new InputProblem(message, remedy);
	}
}

function assertOwnContacts(context: IExecuteFunctions, count: number): void {
	const saved = context.getNodeParameter('contactId', 0, '', { rawExpressions: true });
	if (count < 2 || holdsExpression(saved)) return;
	throw new InputProblem(
		"'Contact of Each Item' is the same for all items",
		'Use an expression that reads a field of each item, such as {{ $json.id }}.',
	);
}

/** The key of the campaign; blank if no item has one. */
function readOneKey(items: readonly CampaignItem[]): string {
	const given = items.filter(({ params }) => params.campaignKey !== undefined);
	const first = given[0]?.params.campaignKey;
	const other = given.find(({ params }) => params.campaignKey !== first);
	if (!other) return first === undefined ? '' : readCampaignKey(first);
	const problem = new InputProblem(
		`'Campaign Key' is ${quoted(other.params.campaignKey)} here, and ${quoted(first)} in an earlier item`,
		'It must be the same for all items. Enter a fixed text, or correct the expression.',
	);
	throw new ItemFailure(other.item, problem);
}
