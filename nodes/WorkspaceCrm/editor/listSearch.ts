import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { readChoice, readTemplateText, type Choice } from '../api/assumptions';
import { path } from '../api/urls';
import type { WireRecord } from '../api/types';
import { isJsonObject } from '../domain/json';
import { shownSubscription } from '../webhooks/subscriptions';
import { searchAttributes } from './searchAttributes';
import { searchContacts } from './searchContacts';
import { distinct, listChoices, listTags, matching } from './choices';

/** The drop-downs of resource locators, by the method names in their fields. */
export const listSearch = {
	searchAttributes,
	searchContacts,

	searchAutomations: searchIn(path`/v1/automations`, readChoice),
	searchSegments: searchIn(path`/v1/segments`, readChoice),
	searchSubscriptions: searchIn(path`/v1/subscriptions`, toSubscriptionChoice),
	searchTemplates: searchIn(path`/v1/templates`, toTemplateChoice),

	async searchTags(this: ILoadOptionsFunctions, filter?: string) {
		return matching(await listTags(this), filter);
	},
};

/** A drop-down of the records of a list. */
function searchIn(listPath: string, toChoice: (record: WireRecord) => Choice | undefined) {
	return async function (this: ILoadOptionsFunctions, filter?: string) {
		return matching(distinct(await listChoices(this, listPath, toChoice)), filter);
	};
}

/** A subscription, named by its URL or by the wait it belongs to. */
function toSubscriptionChoice(record: WireRecord): Choice | undefined {
	const { wait, ...shown } = shownSubscription(record);
	const choice = readChoice(shown);
	if (!choice || !isJsonObject(wait)) return choice;
	return { ...choice, name: `Wait of execution ${wait.execution_id} until ${wait.until}` };
}

/** How many characters of a template's text follow its name. */
const SHOWN_TEXT = 60;

/** A template, named by its name and text. */
function toTemplateChoice(record: WireRecord): Choice | undefined {
	const choice = readChoice(record);
	const text = readTemplateText(record);
	if (!choice || text === undefined) return choice;
	const shown = text.length > SHOWN_TEXT ? `${text.slice(0, SHOWN_TEXT)}…` : text;
	return { ...choice, name: `${choice.name} · ${shown}` };
}
