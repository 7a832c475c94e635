import type { INodeParameters } from 'n8n-workflow';

import { chosen, variablesOf } from './support';

/** Parameters of the operations that most tests use, as the editor saves them. */
type ContactField = INodeParameters[string];

/** Get, delete or update of one contact. */
export function contactParameters(
	operation: string,
	contactId: ContactField,
	more: INodeParameters = {},
): INodeParameters {
	return { resource: 'contact', operation, contactId, ...more };
}

/** Send Template with a single request: no look at the list of templates. */
export function sendParameters(
	contactId: ContactField,
	{ options, ...more }: INodeParameters = {},
): INodeParameters {
	const template = chosen('name', 'welcome');
	const templateVariables = variablesOf({ name: 'Anna' });
	const own = { contactId, template, templateVariables };
	const added = { sendBlankVariables: true, ...(options as INodeParameters | undefined) };
	return { resource: 'message', operation: 'sendTemplate', ...own, options: added, ...more };
}

export function enrollParameters(
	contactId: ContactField,
	more: INodeParameters = {},
): INodeParameters {
	const automationId = chosen('id', 'aut_win_back');
	return { resource: 'automation', operation: 'enroll', automationId, contactId, ...more };
}
