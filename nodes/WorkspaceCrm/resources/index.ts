import { getTemplateVariables } from '../editor/mapperFields';
import type { Resource } from '../operations/define';
import { enroll, getAutomations } from './automation';
import { deleteContact } from './contact/delete';
import { get, getAll } from './contact/get';
import { sync } from './contact/sync/syncOperation';
import { getContactColumns } from './contact/sync/columns';
import { update } from './contact/update';
import { upsert } from './contact/upsert';
import { getEventTypes } from './eventType';
import { sendCampaign } from './message/campaign/sendCampaign';
import { sendAndWait } from './message/ask/sendAndWait';
import { sendTemplate } from './message/sendTemplate';
import { getSegmentContacts, getSegments } from './segment';
import { createSubscription, deleteSubscription, getSubscriptions } from './subscription';
import { addTags, getTags, removeTags } from './tag';
import { getTemplates } from './template';
import { checkApi, getWorkspace } from './workspace';

/** Everything the action node can do, in the order that the editor shows. */
export const resources: readonly Resource[] = [
	{ value: 'automation', name: 'Automation', operations: [enroll, getAutomations] },
	{
		value: 'contact',
		name: 'Contact',
		operations: [upsert, deleteContact, get, getAll, sync, update],
	},
	{ value: 'eventType', name: 'Event Type', operations: [getEventTypes] },
	{ value: 'message', name: 'Message', operations: [sendCampaign, sendTemplate, sendAndWait] },
	{ value: 'segment', name: 'Segment', operations: [getSegmentContacts, getSegments] },
	{
		value: 'subscription',
		name: 'Subscription',
		operations: [createSubscription, deleteSubscription, getSubscriptions],
	},
	{ value: 'tag', name: 'Tag', operations: [addTags, getTags, removeTags] },
	{ value: 'template', name: 'Template', operations: [getTemplates] },
	{ value: 'workspace', name: 'Workspace', operations: [checkApi, getWorkspace] },
];

/** The columns of resource mappers, by the method names in their fields. */
export const resourceMapping = { getContactColumns, getTemplateVariables };
