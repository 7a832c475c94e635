import { repositoryFolder } from '../../../../tools/n8n/paths';
import { fs, path } from '../../../../tools/support/platform';
import type { FaultKind } from '../../../../tools/sandbox';
import { startWorkflow, type SavedWorkflow } from '../../../../tools/engine/nodes';
import { processInTime } from '../../shutDoor';
import { addContacts, useSandbox } from '../../support';

/** ask-many.json: a contact who may have got the question keeps the note, so that the answer is saved. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const file = path.join(repositoryFolder, 'examples/ask-many.json');
const { nodes, connections } = JSON.parse(fs.readFileSync(file, 'utf8')) as SavedWorkflow;

/** Runs the half of the workflow that asks. */
async function ask(): Promise<void> {
	const trigger = nodes.filter(({ type }) => type === 'n8n-nodes-base.manualTrigger');
	const others = nodes.filter(({ type }) => !/[tT]rigger$|stickyNote$/.test(type));
	const saved = {
		nodes: [...trigger, ...others],
		connections,
		pinData: { [trigger[0].name]: [{ json: {} }] },
	};
	const credential = { baseUrl: sandbox.url, apiKey: sandbox.apiKey, authHeader: 'bearer' };
	const { status } = await startWorkflow(saved, { credential, runtime: processInTime() });
	expect(status).toBe('success');
}

test.each<[string, FaultKind | undefined, string, boolean]>([
	['gets it', undefined, 'confirmed', true],
	['may have got it', { drop: 'afterEffect' }, 'confirmed', true],
	['may have got it, as a gateway answered', { status: 502, body: '<html>' }, 'confirmed', true],
	['is refused', { status: 422 }, 'confirmed', false],
	['has not confirmed', undefined, 'pending', false],
])(
	'keeps the note exactly if the question may have been sent: a contact who %s',
	async (_name, kind, status, isNoted) => {
		const contacts = addContacts(sandbox, 3, { opt_in_status: 'confirmed' });
		for (const contact of contacts) contact.tags = ['vip'];
		const [, second] = contacts;
		second.opt_in_status = status as never;
		if (kind) sandbox.fail({ match: { method: 'POST', path: '/messages' }, skip: 1, kind });
		await ask();
		const isAsked = contacts.map(({ tags }) => tags.includes('asked: tasting'));
		expect(isAsked).toEqual([true, isNoted, true]);
		// Nobody is asked twice, and nobody loses the note for that.
		await ask();
		if (isNoted)
			expect(contacts.map(({ tags }) => tags.includes('asked: tasting'))).toEqual(isAsked);
	},
);

test('does not note again a contact who has answered, when the question goes on', async () => {
	const contacts = addContacts(sandbox, 2, { opt_in_status: 'confirmed' });
	for (const contact of contacts) contact.tags = ['vip'];
	await ask();
	// What the other half does with an answer.
	const [, second] = contacts;
	second.tags = ['vip'];
	second.attributes = { ...second.attributes, tasting: 'Yes' };
	await ask();
	expect(contacts.map(({ tags }) => tags)).toEqual([['vip', 'asked: tasting'], ['vip']]);
	expect(sandbox.store.sentMessages).toHaveLength(2);
});
