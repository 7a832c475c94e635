import { EVENT_TYPES } from '../../../nodes/WorkspaceCrm/api/eventTypes';

test('the events are those of the API reference, each with a name and an explanation', () => {
	expect(EVENT_TYPES.map(({ value, name }) => [value, name])).toEqual([
		['contact.created', 'Contact Created'],
		['contact.opted_out', 'Contact Opted Out'],
		['form.submitted', 'Form Submitted'],
		['message.received', 'Message Received'],
		['tag.added', 'Tag Added'],
	]);
	for (const { description } of EVENT_TYPES) expect(description).toMatch(/^A .*[^.]$/);
});
