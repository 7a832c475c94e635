import type { Calls } from '../../../../tools/engine/agent';
import { fromModel, runAgent, toolNode } from '../../runAgent';
import { useSandbox } from '../../support';
import { automatic, mapped } from './syncNode';

/** What a language model reads about the node, and what its calls do. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });

test('the model must not leave Dry Run empty', async () => {
	const parameters = automatic({ dryRun: fromModel('Value', 'boolean') });
	for (const Value of [undefined, null, '', 'null']) {
		const calls: Calls = { by: 'engine', values: [{ Value, phone: '+4915123456789' }] };
		const text = JSON.stringify(await runAgent(sandbox, [toolNode(parameters)], calls));
		expect(text).toMatch("'Dry Run' is empty: its expression has no value for this item");
		expect(sandbox.requests).toEqual([]);
	}
});

test('the model reads why a sync of one contact failed', async () => {
	const sync = mapped({ phone: fromModel('Phone') });
	const calls: Calls = { by: 'engine', values: [{ Phone: 'nobody' }] };
	const [{ error }] = await runAgent(sandbox, [toolNode(sync)], calls);
	expect(error).toMatch(/^"nobody" is not a phone number/);
	expect(sandbox.requests).toEqual([]);
});
