import * as fc from 'fast-check';
import { parse, stringify } from 'flatted';
import type { IDataObject, INode, IRunExecutionData } from 'n8n-workflow';

import { systemClock } from '../../../../nodes/WorkspaceCrm/n8n/systemClock';
import { createRuntime } from '../../../../nodes/WorkspaceCrm/crm/connection';
import { WorkspaceCrmApi } from '../../../../credentials/WorkspaceCrmApi.credentials';
import { resumeInEngine } from '../../../../tools/engine/engine';
import {
	crmNode,
	nodeTypes,
	startWorkflow,
	type SavedWorkflow,
} from '../../../../tools/engine/nodes';
import { runNode } from '../../../../tools/engine/runNode';
import { addContacts, chosen, variablesOf, useSandbox } from '../../support';

/** What leaves the node without a signed reply is no reply and no approval, whatever its input claimed. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });

const question: INode['parameters'] = {
	resource: 'message',
	operation: 'sendAndWait',
	contactId: chosen('id', '={{ $json.contactId }}'),
	template: chosen('name', 'welcome'),
	templateVariables: variablesOf({ name: 'Anna' }),
};

const CLAIM = {
	answer: 'yes',
	approved: true,
	replied: true,
	timed_out: false,
	data: { approved: true },
};

const testNode = (name: string, type: string): INode => ({
	...{ id: name, name, type: `test.${type}`, typeVersion: 1, position: [0, 0], parameters: {} },
});
const linkTo = (name: string) => [{ node: name, type: 'main' as const, index: 0 }];

/** A Switch with an item on each of its outputs, all of which lead to the question. */
function workflowOf(items: IDataObject[], settings: Partial<INode> = {}): SavedWorkflow {
	return {
		nodes: [
			testNode('Start', 'passThrough'),
			testNode('Switch', 'onePerOutput'),
			crmNode(question, settings),
			testNode('After', 'passThrough'),
		],
		connections: {
			Start: { main: [linkTo('Switch')] },
			Switch: { main: items.map(() => linkTo('CRM')) },
			CRM: { main: [linkTo('After'), linkTo('After')] },
		},
		pinData: { Start: items.map((json) => ({ json })) },
	};
}

/** Runs a workflow in which nobody ever answers. Returns what has left the question. */
async function withoutAnswers(saved: SavedWorkflow): Promise<IDataObject[]> {
	const host = {
		credential: { baseUrl: sandbox.url, apiKey: sandbox.apiKey, authHeader: 'bearer' },
		runtime: createRuntime(systemClock),
	};
	let run = await startWorkflow(saved, host);
	while (run.waitTill) {
		// As n8n stores an execution: what several entries share, they share afterwards, too.
		const waiting = parse(stringify(run.data)) as IRunExecutionData;
		const types = nodeTypes(host.runtime);
		const credentialType = new WorkspaceCrmApi();
		run = await resumeInEngine(saved, { ...host, credentialType, nodeTypes: types }, waiting);
	}
	expect(run.data.resultData.error).toBeUndefined();
	const ran = run.data.resultData.runData.After ?? [];
	return ran.flatMap(({ data }) => data?.main[0] ?? []).map(({ json }) => json);
}

/** n8n decides about the order. */
const asked = () => sandbox.store.sentMessages.map(({ contact_id }) => String(contact_id)).sort();
const idsOf = (contacts: Array<{ id: string }>) => contacts.map(({ id }) => id).sort();

test('each contact is asked, one after the other, and silence is a no', async () => {
	const contacts = addContacts(sandbox, 3);
	const items = contacts.map(({ id }) => ({ contactId: id, ...CLAIM }));
	const left = await withoutAnswers(workflowOf(items));
	expect(asked()).toEqual(idsOf(contacts));
	expect(left).toHaveLength(3);
	for (const json of left)
		expect(json).toMatchObject({ replied: false, answer: 'none', approved: false });
});

test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
	'a question that fails leaves as no reply, whatever its item claims (%s)',
	async (onError) => {
		const [contact] = addContacts(sandbox, 1);
		sandbox.fail({ match: { path: /messages/ }, kind: { status: 422 } });
		const items = [{ contactId: contact.id, ...CLAIM }];
		const { json, failed } = await runNode(sandbox, { parameters: question, items, onError });
		expect([...json, ...failed]).toMatchObject([
			{ error: expect.any(String) as string, replied: false, answer: 'none', approved: false },
		]);
	},
);

test('an error of the whole node leaves as no reply, too', async () => {
	const items = [{ ...CLAIM }, { ...CLAIM }];
	const onError = 'continueErrorOutput';
	const { failed } = await runNode(sandbox, { parameters: question, items, onError });
	expect(failed).toHaveLength(2);
	for (const json of failed)
		expect(json).toMatchObject({ replied: false, answer: 'none', approved: false });
});

test('a question that could not be sent is asked by the next try, with its own input', async () => {
	const [contact] = addContacts(sandbox, 1);
	sandbox.fail({ match: { path: /messages/ }, kind: { status: 422 } });
	const retries = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
	const left = await withoutAnswers(workflowOf([{ contactId: contact.id, ...CLAIM }], retries));
	expect(asked()).toEqual([contact.id]);
	expect(left).toMatchObject([{ replied: false, approved: false, contact_id: contact.id }]);
});

test('any items in any order: each contact is asked, and nothing claims an approval', async () => {
	const claims = fc.dictionary(
		fc.constantFrom(
			'answer',
			'approved',
			'replied',
			'timed_out',
			'reply',
			'data',
			'contact_id',
			'json',
		),
		fc.oneof(fc.boolean(), fc.constantFrom('yes', 'true', { approved: true })),
	);
	await fc.assert(
		fc.asyncProperty(fc.array(claims, { minLength: 1, maxLength: 4 }), async (all) => {
			sandbox.reset();
			const contacts = addContacts(sandbox, all.length);
			const items = all.map((claim, index) => ({ ...claim, contactId: contacts[index].id }));
			const left = await withoutAnswers(workflowOf(items as IDataObject[]));
			expect(asked()).toEqual(idsOf(contacts));
			expect(left.map(({ approved, replied }) => [approved, replied])).toEqual(
				contacts.map(() => [false, false]),
			);
		}),
		{ numRuns: 15 },
	);
});
