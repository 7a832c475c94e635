import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { readChoice } from '../api/assumptions';
import { EVENT_TYPES } from '../api/eventTypes';
import { path } from '../api/urls';
import { listChoices, listTags, namesAsChoices, toEntries } from './choices';

/** The choices of plain drop-downs, under the names that their fields give. */
export const loadOptions = {
	async getTags(this: ILoadOptionsFunctions) {
		return toEntries(await listTags(this));
	},
};

/** Those of the trigger. */
export const triggerLoadOptions = {
	...loadOptions,

	/** The events that the service offers, without those that 'Trigger On' lists. */
	async getOtherEvents(this: ILoadOptionsFunctions) {
		const events = await listChoices(this, path`/v1/events`, readChoice);
		const listed: string[] = EVENT_TYPES.map(({ value }) => value);
		const names = events.map(({ name }) => name).filter((name) => !listed.includes(name));
		return toEntries(namesAsChoices(names));
	},
};
