/** The events that the service sends (API reference, event types), as the editor lists them. */
export const EVENT_TYPES = [
	{
		name: 'Contact Created',
		value: 'contact.created',
		description: 'A new contact appears, from any source',
	},
	{
		name: 'Contact Opted Out',
		value: 'contact.opted_out',
		description: 'A contact opts out, e.g. by a stop keyword',
	},
	{
		name: 'Form Submitted',
		value: 'form.submitted',
		description: 'A contact completes a form (flow)',
	},
	{
		name: 'Message Received',
		value: 'message.received',
		description: 'A message from a contact arrives',
	},
	{
		name: 'Tag Added',
		value: 'tag.added',
		description: 'A tag is newly attached to a contact',
	},
] as const;
