import { contactParameters, enrollParameters } from './parameters';
import { runNode } from '../../tools/engine/runNode';
import { addContact, chosen, contactId, useSandbox } from './support';

const sandbox = useSandbox();

/** Values that could make a careless client call another endpoint, or crash. */
const tricks = [
	'../x',
	'..',
	'.',
	'a/b',
	'a\\b',
	'../../../v1/workspace',
	'/v1/workspace',
	'%2e%2e',
	'%2F',
	'%',
	'?',
	'#',
	'a?b=c&d#e',
	';x=1',
	'a+b c',
	'café',
	'東京 🎉',
	"it's (100%) *new*!",
	'constructor',
	'\ud800',
];
/** `unit/crm/endpoints` tests that all other values stay one segment; `test/faults` does so for each operation. */
test.each([
	['..', '".." cannot be used as an ID or a name'],
	['.', '"." cannot be used as an ID or a name'],
	['\ud800', "'Automation' holds half a character, which cannot be sent as it is"],
])('an ID of %j is refused before any request', async (value, message) => {
	const parameters = enrollParameters(chosen('id', contactId), {
		automationId: chosen('id', '={{ $json.value }}'),
	});
	const { error } = await runNode(sandbox, { parameters, items: [{ value }] });
	expect(error?.message).toBe(message);
	expect(sandbox.requests).toEqual([]);
});

test('none of these is a contact ID, and all are refused before any request', async () => {
	const contact = chosen('id', '={{ $json.value }}');
	const { failed } = await runNode(sandbox, {
		parameters: contactParameters('delete', contact, { options: { maxContacts: 20 } }),
		items: tricks.map((value) => ({ value })),
		onError: 'continueErrorOutput',
	});
	expect(failed).toHaveLength(tricks.length);
	const refused = /(is not a contact ID|holds half a character.*) \[item \d+\]$/;
	for (const { error } of failed) expect(error).toMatch(refused);
	expect(sandbox.requests).toEqual([]);
});

test('a filter with the characters of a query is sent as it is', async () => {
	const tag = 'a&tag=b#c?d=%20+é';
	addContact(sandbox, { tags: [tag] });
	const { json } = await runNode(sandbox, {
		parameters: { resource: 'contact', operation: 'getAll', filters: { tag } },
	});
	expect(json).toHaveLength(1);
	expect(sandbox.requests[0].query).toEqual({ tag, limit: '50', offset: '0' });
});
