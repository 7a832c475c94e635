import type { IDataObject } from 'n8n-workflow';

import { runNode } from '../../../../tools/engine/runNode';
import { addContact, contactId, useSandbox, writes } from '../../support';
import { actionsOf, automatic, mapped, runSync } from './syncNode';

/** A value means what a person meant with it, whatever form it has. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const phone = '+4915123456789';
const rows = (name: string, value: string) => ({ values: [{ name, value }] });
const address = { city: 'Bern', zip: '3000', geo: { lat: 1, lon: 2 } };

describe('blank inside an object is blank', () => {
	const given = { city: null, zip: '', geo: { lat: ' ', lon: undefined } };
	const part = { city: 'Basel', zip: null };

	test.each([
		['a column', automatic()],
		['a mapped column', mapped({ phone, 'attributes.address': '={{ $json.attributes.address }}' })],
		[
			'a row',
			mapped({ phone }, { attributes: rows('address', '={{ $json.attributes.address }}') }),
		],
	])('in a sync, in %s', async (_where, parameters) => {
		addContact(sandbox, { phone, attributes: { address } });
		const items = [given, part].map((each) => ({ phone, attributes: { address: each } }));
		await runSync(sandbox, items.slice(0, 1) as IDataObject[], parameters);
		expect(writes(sandbox)).toEqual([]);
		await runSync(sandbox, items.slice(1) as IDataObject[], parameters);
		expect(writes(sandbox).map(({ body }) => body)).toMatchObject([
			{ attributes: { address: { ...address, city: 'Basel' } } },
		]);
	});

	test('but the JSON of contact sync is exact', async () => {
		addContact(sandbox, { id: contactId, phone, attributes: { plan: 'pro', old: 'x', address } });
		const attributesJson = '{ "plan": null, "old": "", "address": { "city": null } }';
		await runNode(sandbox, { parameters: mapped({ phone }, { attributesJson }) });
		const [{ body }] = writes(sandbox);
		expect((body as IDataObject).attributes).toEqual(JSON.parse(attributesJson));
	});
});

describe('one comparison', () => {
	test('values of attributes are compared as names are', async () => {
		addContact(sandbox, { phone, attributes: { note: 'a  b\u2011c', deep: { Größe: 'é' } } });
		const attributes = { note: 'a b-c', deep: { ['Größe'.normalize('NFD')]: 'e\u0301 ' } };
		const { json } = await runSync(sandbox, [{ phone, attributes }], automatic());
		expect(actionsOf(json)).toEqual(['unchanged']);
	});
});

test.each([
	['cliente; VIP', ['cliente', 'VIP']],
	['"a;b" , c', ['a;b', 'c']],
	[';', undefined],
])('the tags %j are %j', async (tags, expected) => {
	await runSync(sandbox, [{ phone, name: 'A', tags }], automatic());
	expect((writes(sandbox)[0].body as IDataObject).tags).toEqual(expected);
});

test('an expression that n8n cannot evaluate names its column, and the summary counts it', async () => {
	const items = ['a', 'b'].map((text) => ({ phone, text }));
	const parameters = mapped({ phone, name: '={{ $json.text.trim }}', source: 'web' });
	const { failed, hints } = await runSync(sandbox, items, parameters, {
		onError: 'continueErrorOutput',
	});
	expect(failed).toHaveLength(2);
	for (const { error } of failed) {
		expect(error).toMatch(/^n8n cannot evaluate the expression in 'Name'/);
	}
	expect(hints.join()).toMatch(/2 invalid.*<br>n8n cannot evaluate the expression in 'Name'/);
});
