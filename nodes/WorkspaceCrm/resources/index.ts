import type { Resource } from '../operations/define';
import { enroll } from './automation/enroll';
import { getAll as getAutomations } from './automation/getAll';
import { contact } from './contact';
import { getAll as getEventTypes } from './eventType/getAll';
import { sendAndWait } from './message/sendAndWait';
import { sendCampaign } from './message/campaign/sendCampaign';
import { sendTemplate } from './message/sendTemplate';
import { getAll as getSegments } from './segment/getAll';
import { getContacts } from './segment/getContacts';
import { create } from './subscription/create';
import { deleteSubscription } from './subscription/delete';
import { getAll as getSubscriptions } from './subscription/getAll';
import { add } from './tag/add';
import { getAll as getTags } from './tag/getAll';
import { remove } from './tag/remove';
import { getAll as getTemplates } from './template/getAll';
import { checkApi } from './workspace/checkApi';
import { get as getWorkspace } from './workspace/get';

/** Everything the action node can do, in the order that the editor shows. */
export const resources: readonly Resource[] = [
	{ value: 'automation', name: 'Automation', operations: [enroll, getAutomations] },
	contact,
	{ value: 'eventType', name: 'Event Type', operations: [getEventTypes] },
	{ value: 'message', name: 'Message', operations: [sendCampaign, sendTemplate, sendAndWait] },
	{ value: 'segment', name: 'Segment', operations: [getContacts, getSegments] },
	{
		value: 'subscription',
		name: 'Subscription',
		operations: [create, deleteSubscription, getSubscriptions],
	},
	{ value: 'tag', name: 'Tag', operations: [add, getTags, remove] },
	{ value: 'template', name: 'Template', operations: [getTemplates] },
	{ value: 'workspace', name: 'Workspace', operations: [checkApi, getWorkspace] },
];
