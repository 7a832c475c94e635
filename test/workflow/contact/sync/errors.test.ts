import { useSandbox } from '../../support';
import { automatic, runSync } from './syncNode';

const sandbox = useSandbox();

test('a node that continues on errors shows only the summary in a hint if all items succeeded', async () => {
	const row = { phone: '+4915123456789' };
	const { hints } = await runSync(sandbox, [row], automatic(), { onError: 'continueErrorOutput' });
	expect(hints).toEqual([expect.stringMatching(/^1 item: /)]);
});
