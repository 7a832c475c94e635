import { chosen } from '../../../workflow/support';

export const waitingTool = (contactId: string) => ({
	name: 'ask_contact',
	parameters: {
		resource: 'message',
		operation: 'sendAndWait',
		contactId: chosen('id', contactId),
		template: chosen('name', 'welcome'),
	},
});
