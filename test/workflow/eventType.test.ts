import { runNode } from './runNode';
import { paired, sent, useSandbox } from './support';

const sandbox = useSandbox();

test('getAll gives one item for each event type', async () => {
	const { output } = await runNode(sandbox, {
		parameters: { resource: 'eventType', operation: 'getAll' },
	});
	expect(output).toEqual(
		paired(
			[0, { name: 'contact.created' }],
			[0, { name: 'contact.opted_out' }],
			[0, { name: 'message.received' }],
			[0, { name: 'form.submitted' }],
			[0, { name: 'tag.added' }],
		),
	);
	expect(sent(sandbox)).toEqual([{ request: 'GET /v1/events' }]);
});
