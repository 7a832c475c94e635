import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { readChoice } from '../api/assumptions';
import { EVENT_TYPES } from '../api/eventTypes';
import { path } from '../api/urls';
import { listChoices, listTags, namesAsChoices, toEntries } from './choices';

/** The choices of plain drop-downs, by the method names in their fields. */
export const loadOptions = {
	async getTags(this: ILoadOptionsFunctions) {
		return toEntries(await listTags(this));
	},
};

/** The same for the trigger. */
export const triggerLoadOptions = {
	...loadOptions,

	/** The service's events that 'Trigger On' does not list. */
	async getOtherEvents(this: ILoadOptionsFunctions) {
		const events = await listChoices(this, path`/v1/events`, readChoice);
		const listed: string[] = EVENT_TYPES.map(({ value }) => value);
		const names = events.map(({ name }) => name).filter((name) => !listed.includes(name));
		return toEntries(namesAsChoices(names));
	},
};
