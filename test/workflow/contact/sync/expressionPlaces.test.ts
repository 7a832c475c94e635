import { addContact, contactId, sent, useSandbox } from '../../support';
import { automatic, runSync } from './syncNode';

/** Where texts come from, and where braces may stand. The forms of expressions are in `expressionForms`. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const phone = '+4915123456789';
const words = 'Ich habe null Ahnung, undefined, NaN, [object Object], {{ $json.x }}';

beforeEach(() => void addContact(sandbox, { id: contactId, phone, tags: ['{{ $json.tag }}'] }));

test('cells that are mapped automatically are sent as they are', async () => {
	const row = { phone: '+4915123456780', name: words, city: words, unused: 'Invalid DateTime' };
	const { error } = await runSync(sandbox, [row], automatic({ otherColumns: 'attributes' }));
	expect(error).toBeUndefined();
	const bodies = sent(sandbox).map(({ body }) => body);
	expect(bodies).toContainEqual(
		expect.objectContaining({ name: words, attributes: expect.objectContaining({ city: words }) }),
	);
	expect(JSON.stringify(bodies)).not.toContain('Invalid DateTime');
});
