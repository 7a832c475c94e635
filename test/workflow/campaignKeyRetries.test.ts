import type { INode, INodeParameters } from 'n8n-workflow';

import type { Contact } from '../../tools/sandbox';
import { messagesTo, validMarksOf } from './marks';
import { runNode, type NodeRun } from '../../tools/engine/runNode';
import { Door, processInTime, processWithDoor } from './shutDoor';
import { addContacts, chosen, variablesOf, useSandbox } from './support';

/**
 * A marked contact gets the message or loses the mark in the same run, judged by the service's records and by
 * what a second run sends.
 */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const door = new Door(sandbox);
beforeEach(async () => await door.open());
afterAll(() => door.shut());

const MINUTE_MS = 60_000;
const mark = { method: 'PATCH', path: '/v1/contacts/' };
const people = (count: number) => addContacts(sandbox, count, { opt_in_status: 'confirmed' });
const messages = (contacts: readonly Contact[]) =>
	contacts.map((each) => messagesTo(sandbox, each));

/** The door is shut as a request is answered, and open again after a while. */
function outage(match: object, skip: number, minutes: number) {
	sandbox.fail({ match, skip, kind: { meanwhile: () => door.shut() } });
	return {
		runtime: processWithDoor(door, minutes * MINUTE_MS),
		credential: { baseUrl: door.url },
	};
}

const settings: Partial<INode> = { retryOnFail: true, maxTries: 3, waitBetweenTries: 5 };

describe('Retry On Fail of Send Template with a campaign key', () => {
	const parameters: INodeParameters = {
		resource: 'message',
		operation: 'sendTemplate',
		contactId: chosen('id', '={{ $json.id }}'),
		template: chosen('name', 'welcome'),
		templateVariables: variablesOf({ name: 'Anna' }),
		options: { campaignKey: 'spring' },
	};

	const failing = (match: object) => {
		sandbox.fail({ match, times: 3, kind: { status: 500 } });
		return { runtime: processInTime() };
	};

	test.each<[string, () => Partial<NodeRun>]>([
		['the service could not be reached', () => outage({ method: 'GET' }, 0, 5 / 60)],
		['reading the contact failed', () => failing({ method: 'GET' })],
		['marking the contact failed', () => failing(mark)],
	])('sends the message if in the first try %s', async (_name, prepare) => {
		const [contact] = people(1);
		const run = { parameters, items: [{ id: contact.id }], settings, ...prepare() };
		const { error, json } = await runNode(sandbox, run);
		expect(error).toBeUndefined();
		expect(json).toMatchObject([{ result: 'sent' }]);
		expect(messages([contact])).toEqual([1]);
	});

	test('does not try again if the mark could not be removed: it would find it', async () => {
		const [contact] = people(1);
		sandbox.fail({ match: { path: '/v1/messages/template' }, kind: { status: 422 } });
		sandbox.fail({ match: mark, skip: 1, kind: { status: 400 } });
		const run = { parameters, items: [{ id: contact.id }], settings, runtime: processInTime() };
		const { error } = await runNode(sandbox, run);
		expect(error?.message).toContain('the mark of its key could not be removed');
		expect(validMarksOf(sandbox, contact)).toHaveLength(1);
		expect(messages([contact])).toEqual([0]);
	});

	test('does not say that a contact may be marked if the mark was never sent', async () => {
		const [contact] = people(1);
		const { runtime, credential } = outage({ method: 'GET' }, 0, 24 * 60);
		const items = [{ id: contact.id }];
		const { error } = await runNode(sandbox, { parameters, items, runtime, credential });
		expect(error?.description).toContain('Nothing was sent');
		expect(error?.description).not.toContain('may be marked');
		expect(validMarksOf(sandbox, contact)).toEqual([]);
	});
});
