import type { INodeParameters } from 'n8n-workflow';

import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import { WorkspaceCrmTrigger } from '../../nodes/WorkspaceCrm/WorkspaceCrmTrigger.node';
import { contactItem, operationCases, usesForOne } from '../operationCases';
import { blankable } from './blankFields';
import { runNode } from '../../tools/engine/runNode';
import { addContact, contactId, useSandbox } from './support';
import { startTrigger, stopTriggers } from './triggerSetup';

/** The editor marks a field that must have a value; n8n then does not publish or run the node without it. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });

beforeEach(() => void addContact(sandbox, { id: contactId }));
afterEach(async () => await stopTriggers());

const contact = { id: contactId, phone: '+4915123456789' };
const cases = usesForOne(contactItem(contact, 0));
/** One of their two fields for tags is enough. */
const withBoth = (label: string) => ({ ...cases[label], knownTags: ['vip'], tags: 'lead' });
const uses: Record<string, INodeParameters> = {
	...cases,
	'tag add': withBoth('tag add'),
	'tag remove': withBoth('tag remove'),
};

test.each(Object.keys(operationCases))(
	'%s works without each field that is not marked as required',
	async (label) => {
		const [resource, operation] = label.split(' ');
		const parameters: INodeParameters = { ...uses[label], resource, operation };
		for (const { name, isRequired, parameters: given } of blankable(
			new WorkspaceCrm(),
			parameters,
		)) {
			sandbox.reset();
			addContact(sandbox, { id: contactId });
			// n8n itself refuses to run a node without a field that is marked.
			const isDone = await runNode(sandbox, { parameters: given, items: [contact] }).then(
				({ error }) => error === undefined || sandbox.requests.length > 0,
				() => false,
			);
			const isRefused = !isDone;
			expect({ name, isRefused }).toEqual({ name, isRefused: isRequired });
		}
	},
);

test('the event trigger can be published without each field that is not marked as required', async () => {
	const node = new WorkspaceCrmTrigger();
	for (const { name, isRequired, parameters } of blankable(node, { events: ['tag.added'] })) {
		const { host } = await startTrigger({ parameters });
		const isRefused = await host.publish().then(
			() => false,
			() => true,
		);
		expect({ name, isRefused }).toEqual({ name, isRefused: isRequired });
	}
});
