import { createHmac } from 'node:crypto';
import { startSandbox, type EventEnvelope, type Sandbox } from '../../sandbox';
import { addContact, call, startReceiver, type Receiver } from './harness';

const allEvents = [
	'contact.created',
	'contact.opted_out',
	'message.received',
	'form.submitted',
	'tag.added',
];

describe('events of the sandbox', () => {
	let receiver: Receiver;
	let sandbox: Sandbox;
	let secret: string;
	beforeAll(async () => {
		receiver = await startReceiver();
		sandbox = await startSandbox({
			limiter: { kind: 'off' },
			publicHosts: { 'https://n8n.example.com': receiver.origin },
		});
	});
	beforeEach(async () => {
		sandbox.reset();
		receiver.received.length = 0;
		secret = await subscribe(allEvents);
	});
	afterAll(async () => {
		await sandbox.close();
		await receiver.close();
	});

	const subscribe = async (events: string[], path = '/webhook/1?a=b') => {
		const url = `https://n8n.example.com${path}`;
		return String((await call(sandbox, 'POST', '/v1/subscriptions', { url, events })).body.secret);
	};
	/** What arrived, in the order in which it happened: deliveries run at the same time. */
	const arrived = async (): Promise<EventEnvelope[]> => {
		await sandbox.settled();
		const order = sandbox.deliveries.map(({ eventId }) => eventId);
		return receiver.received
			.map(({ body }) => JSON.parse(body) as EventEnvelope)
			.sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
	};

	it('delivers the envelope with the three headers and a signature of the raw body', async () => {
		const { id } = addContact(sandbox, { name: 'Jürgen 東京' });
		const event = sandbox.emit.optOut(id);
		expect(await arrived()).toEqual([event]);
		expect(event).toMatchObject({ event: 'contact.opted_out', data: { contact: { id } } });
		const [{ path, headers, body }] = receiver.received;
		expect(path).toBe('/webhook/1?a=b');
		expect(headers).toMatchObject({
			'content-type': 'application/json',
			'x-service-event': 'contact.opted_out',
			'x-service-delivery': sandbox.deliveries[0].deliveryId,
			'x-service-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
		});
	});

	it('makes contact.created and one tag.added for each newly attached tag', async () => {
		const phone = '+4915123456789';
		await call(sandbox, 'POST', '/v1/contacts', { phone, tags: ['a', 'b'] });
		await call(sandbox, 'POST', '/v1/contacts', { phone, tags: ['b', 'c'] });
		const id = [...sandbox.store.contacts.keys()][0];
		await call(sandbox, 'POST', `/v1/contacts/${id}/tags`, { name: 'c' });
		await call(sandbox, 'POST', `/v1/contacts/${id}/tags`, { name: 'd' });
		expect((await arrived()).map(({ event, data }) => [event, data.tag])).toEqual([
			['contact.created', undefined],
			['tag.added', 'a'],
			['tag.added', 'b'],
			['tag.added', 'c'],
			['tag.added', 'd'],
		]);
	});

	it('creates the contact of a message from an unknown phone', async () => {
		sandbox.emit.inboundMessage({ phone: '+4915123456789' }, 'Hello');
		sandbox.emit.inboundMessage({ phone: '+4915123456789' }, 'stop');
		const contact = sandbox.store.findByPhone('+4915123456789');
		expect(contact?.last_inbound_at).not.toBeNull();
		expect(await arrived()).toMatchObject([
			{ event: 'contact.created', data: { contact: { id: contact?.id } } },
			{ event: 'message.received', data: { message: { text: 'Hello', is_new_contact: true } } },
			{
				event: 'message.received',
				data: {
					contact: { opt_in_status: 'none' },
					message: { wa_message_id: expect.any(String), type: 'text', is_new_contact: false },
				},
			},
			{ event: 'contact.opted_out', data: { contact: { opt_in_status: 'opted_out' } } },
		]);
	});

	it('gives tags and answers in the chosen shapes', async () => {
		const { id } = addContact(sandbox);
		const emit = async () => {
			sandbox.emit.submitForm({ contactId: id }, 'flow-1', { size: 'L' });
			await call(sandbox, 'POST', `/v1/contacts/${id}/tags`, { name: 'x' });
			await call(sandbox, 'DELETE', `/v1/contacts/${id}/tags/x`);
			return (await arrived()).slice(-2).map(({ data }) => data);
		};
		expect(await emit()).toMatchObject([
			{ flow_id: 'flow-1', answers: { size: 'L' } },
			{ tag: 'x' },
		]);
		sandbox.setShapes({ tagInEvent: 'object', answersInEvent: 'array' });
		expect(await emit()).toMatchObject([
			{ answers: [{ question: 'size', answer: 'L' }] },
			{ tag: { id: expect.any(String), name: 'x' } },
		]);
	});

	it('delivers to each subscription that wants the event, under an id of its own', async () => {
		await subscribe(['contact.opted_out'], '/webhook/2');
		await subscribe(['tag.added'], '/webhook/3');
		sandbox.emit.optOut(addContact(sandbox).id);
		const events = await arrived();
		expect(receiver.received.map(({ path }) => path).sort()).toEqual([
			'/webhook/1?a=b',
			'/webhook/2',
		]);
		expect(new Set(events.map(({ id }) => id)).size).toBe(1);
		expect(new Set(sandbox.deliveries.map(({ deliveryId }) => deliveryId)).size).toBe(2);
	});

	it('fails for a contact that does not exist', () => {
		expect(() => sandbox.emit.optOut('x')).toThrow('contact not found');
		expect(() => sandbox.emit.inboundMessage('x', 'Hello')).toThrow('contact not found');
		expect(() => sandbox.emit.inboundMessage({ phone: '123' }, 'Hello')).toThrow('phone');
	});
});
