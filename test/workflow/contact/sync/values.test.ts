import type { IDataObject } from 'n8n-workflow';

import { runNode } from '../../../../tools/engine/runNode';
import { NO_TEXTS } from '../../../support/anyValue';
import { contact } from '../../leaves';
import { addContact, sent, useSandbox } from '../../support';
import { automatic } from './syncNode';

/** Whatever an expression gives, in whichever field: it arrives as meant, or is refused. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });

test('in a column that is not used, anything is no matter', async () => {
	const values = [...NO_TEXTS.map(({ value }) => value), '#N/A'];
	const items = values.map((unused) => ({ phone: contact.phone, name: 'Anna', unused }));
	const { json, failed, error } = await runNode(sandbox, {
		parameters: automatic(),
		items: items as IDataObject[],
		onError: 'continueErrorOutput',
	});
	expect([error, failed]).toEqual([undefined, []]);
	expect(json).toHaveLength(items.length);
});

test.each(['name', 'source', 'tags', 'attributes.plan', 'opt_in', 'phone', 'city'])(
	'in the column %s, the error of a sheet is refused, and nothing is sent',
	async (column) => {
		addContact(sandbox, { phone: contact.phone, tags: ['vip'] });
		const item = { phone: contact.phone, [column]: '#N/A' };
		const { failed } = await runNode(sandbox, {
			parameters: automatic({ otherColumns: 'attributes', tagMode: 'match' }),
			items: [item],
			onError: 'continueErrorOutput',
		});
		expect(failed).toMatchObject([
			{ error: expect.stringContaining('is #N/A: the sheet has an error') },
		]);
		expect(sent(sandbox).filter(({ request }) => !request.startsWith('GET'))).toEqual([]);
	},
);
