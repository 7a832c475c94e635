import type { IDataObject } from 'n8n-workflow';

import { runNode } from '../../../../tools/engine/runNode';
import { patientRuntime, writes } from '../../support';
import { automatic } from './syncNode';
import { accessTo, byItem, sandboxes } from '../../twoWorkspaces';

test('Sync and campaigns run once for each workspace, and say which summary is whose', async () => {
	for (const sandbox of sandboxes)
		sandbox.store.addContact({ phone: '+4915123456789', name: 'Anna' });
	const items = [0, 1, 0].map((place, index) => ({
		...{ phone: `+4915123456${780 + index}`, name: `New ${index}` },
		...accessTo(sandboxes[place]),
	}));
	const { hints, error } = await runNode(sandboxes[0], {
		...{ parameters: automatic(), items, credential: byItem },
		runtime: patientRuntime().runtime,
	});
	expect(error).toBeUndefined();
	expect(hints).toEqual([
		expect.stringMatching(
			/^Items 1, 3 \(http.+\): 2 items: 2 created\..+<br>Item 2 \(http.+\): 1 item: 1 created\./s,
		),
	]);
});

describe('the options of a workspace are those of its first item', () => {
	const phone = '+4915123456789';
	const sync = async (options: IDataObject, rows: IDataObject[]) => {
		const items = rows.map((row, place) => ({ phone, ...row, ...accessTo(sandboxes[place % 2]) }));
		const { runtime } = patientRuntime();
		const parameters = automatic(options);
		return await runNode(sandboxes[0], { parameters, items, credential: byItem, runtime });
	};
	const contacts = () =>
		sandboxes.map(({ store }) => store.addContact({ phone, name: 'Anna', tags: ['a:x', 'b:x'] }));

	test('as which tags a sync removes', async () => {
		const both = contacts();
		const options = { tagMode: 'match', tagPrefix: '={{ $json.prefix }}' };
		const { error } = await sync(options, [
			{ prefix: 'a:', tags: 'new' },
			{ prefix: 'b:', tags: 'new' },
		]);
		expect(error).toBeUndefined();
		expect(both.map(({ tags }) => tags)).toEqual([
			['b:x', 'new'],
			['a:x', 'new'],
		]);
	});

	test.each([
		[true, false],
		[false, true],
	])('as whether it only tries: %s, %s', async (...dry) => {
		const both = contacts();
		await sync(
			{ dryRun: '={{ $json.dry }}' },
			dry.map((isDry) => ({ dry: isDry, name: 'Ben' })),
		);
		expect(both.map(({ name }) => name)).toEqual(dry.map((isDry) => (isDry ? 'Anna' : 'Ben')));
	});
});

test.each([
	['another workspace', () => accessTo(sandboxes[1])],
	['no workspace', () => ({ ...accessTo(sandboxes[0]), crmKey: '' })],
])(
	'missing contacts are not listed from a part of the items, as others belong to %s',
	async (_case, access) => {
		for (const sandbox of sandboxes) sandbox.store.addContact({ phone: '+4915123456789' });
		const own = { phone: '+4915123456780', ...accessTo(sandboxes[0]) };
		const run = async (items: IDataObject[]) =>
			await runNode(sandboxes[0], {
				...{ parameters: automatic({ missing: 'output' }), items, credential: byItem },
				...{ onError: 'continueRegularOutput', runtime: patientRuntime().runtime },
			});
		const { json } = await run([own, { phone: '+4915123456789', ...access() }]);
		expect(json[0].error).toContain('but some items have another credential');
		expect(sandboxes.map(writes)).toEqual([[], []]);
		const alone = await run([own]);
		expect(alone.json.map(({ sync }) => (sync as IDataObject).action)).toEqual([
			'created',
			'missing',
		]);
	},
);

test('two ways to write a credential are one workspace', async () => {
	const [{ url, apiKey, store }] = sandboxes;
	const items = ['', '/', '/v1/'].map((end, index) => ({
		...{ phone: `+4915123456${780 + index}`, crmUrl: `${url}${end}`, crmKey: ` ${apiKey}` },
	}));
	const { hints } = await runNode(sandboxes[0], {
		...{ parameters: automatic(), items, credential: byItem },
		runtime: patientRuntime().runtime,
	});
	expect(hints).toEqual([expect.stringMatching(/^3 items: 3 created\./)]);
	expect(store.contacts.size).toBe(3);
});
