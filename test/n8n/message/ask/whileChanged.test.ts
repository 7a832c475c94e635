import { addContacts } from '../../../workflow/support';
import { outputItems } from '../../../../tools/n8n/n8nRestClient';
import { eventually, PUBLIC_URL } from '../../../../tools/n8n/testbed';
import { asking, untilStatus, waitSubscriptions } from '../../../../tools/n8n/waits';
import { manualWorkflow, node } from '../../../../tools/n8n/workflows';
import { useTestbed } from '../../useTestbed';

/** No event is lost or repeated, whatever a user does to a workflow or to n8n in the meantime. */
const bed = useTestbed();
afterEach(() => bed.sandbox.reset());

/** Like the tests that kill n8n, these run only with `npm run test:n8n`. */
describe('takes minutes, like the tests that kill n8n:', () => {
	test('if a subscription cannot be deleted after a reply, the contact can be asked again at once', async () => {
		const { sandbox } = bed;
		const [anna] = addContacts(sandbox, 1);
		const ask = async () => {
			const after = node('After', 'n8n-nodes-base.noOp');
			const workflow = manualWorkflow([asking(), after], [{ contactId: anna.id }]);
			const { id } = await bed.n8n.rest.createWorkflow(workflow);
			const execution = await bed.n8n.rest.startWorkflow(id, 'Start');
			await untilStatus(bed, execution, 'waiting');
			return execution;
		};
		const answer = async (execution: string, text: string) => {
			sandbox.emit.inboundMessage(anna.id, text);
			await sandbox.settled();
			const { data } = await untilStatus(bed, execution, 'success');
			return outputItems(data, 'After')[0];
		};
		const first = await ask();
		sandbox.fail({ match: { method: 'DELETE' }, times: Infinity, kind: { status: 503 } });
		expect(await answer(first, 'Yes')).toMatchObject({
			approved: true,
			respondedAt: expect.stringMatching(/^20.+Z$/) as string,
		});
		const second = await ask();
		expect(waitSubscriptions(sandbox)).toHaveLength(2);
		// n8n tries again a minute after it has said so
		await eventually(
			() => bed.n8n.logs,
			(logs) => logs.includes('could not be deleted'),
		);
		sandbox.clearFaults();
		expect(await answer(second, 'No')).toMatchObject({ approved: false, replied: true });
		await eventually(
			() => waitSubscriptions(sandbox),
			({ length }) => length === 0,
		);
	}, 400_000);

	test('if the address of n8n has a path, a contact is asked only if n8n itself answers there', async () => {
		const { sandbox } = bed;
		const [anna] = addContacts(sandbox, 1);
		const start = async () => {
			const after = node('After', 'n8n-nodes-base.noOp');
			const workflow = manualWorkflow([asking(), after], [{ contactId: anna.id }]);
			const { id } = await bed.n8n.rest.createWorkflow(workflow);
			return await bed.n8n.rest.startWorkflow(id, 'Start');
		};
		await bed.restart('stop', { env: { WEBHOOK_URL: `${PUBLIC_URL}/n8n/` } });
		const refused = await untilStatus(bed, await start(), 'error');
		expect(refused.data.resultData.error?.message).toMatch('the address of n8n has the path /n8n');
		expect([sandbox.store.sentMessages, waitSubscriptions(sandbox)]).toEqual([[], []]);

		await bed.restart('stop', { env: { N8N_ENDPOINT_WEBHOOK_WAIT: 'n8n/webhook-waiting' } });
		const execution = await start();
		await untilStatus(bed, execution, 'waiting');
		sandbox.emit.inboundMessage(anna.id, 'Yes');
		await untilStatus(bed, execution, 'success');
		await bed.restart('stop');
	}, 400_000);
});
