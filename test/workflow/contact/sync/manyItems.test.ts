import type { IDataObject } from 'n8n-workflow';

import { useSandbox, writes } from '../../support';
import { automatic, runSync } from './syncNode';

const sandbox = useSandbox();

describe('many items', () => {
	test('fed back into a sync, their errors become no attributes and replace no columns', async () => {
		const rows = [{ phone: 'nobody', description: 'red chair', statusCode: 'A7' }];
		const options = { otherColumns: 'attributes' };
		const first = await runSync(sandbox, rows, automatic(options), {
			onError: 'continueErrorOutput',
		});
		expect(first.failed).toMatchObject(rows);
		const again = { ...first.failed[0], phone: '+12125550123' } as IDataObject;
		await runSync(sandbox, [again], automatic(options));
		expect(writes(sandbox).map(({ body }) => body)).toEqual([
			{ phone: '+12125550123', attributes: { description: 'red chair', statusCode: 'A7' } },
		]);
	});
});
