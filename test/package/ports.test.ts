import { findFreePort } from '../../tools/n8n/ports';
import { net, once } from '../../tools/support/platform';

const host = '127.0.0.1';

/** n8n uses its port only seconds after it was found. */
test('a free port stays free beside outgoing connections and other searches', async () => {
	const [busy, ...others] = await findPorts(15);
	const listener = net.createServer().listen(busy, host);
	await once(listener, 'listening');
	const client = net.connect(busy, host);
	await once(client, 'connect');
	const { localPort = 0 } = client;
	const more = await findPorts(4);
	// their turn comes again, but one of them is used now
	const again = await findPorts(20);
	client.destroy();
	listener.close();

	const all = [busy, ...others, ...more];
	expect(new Set(all).size).toBe(all.length);
	expect(again).not.toContain(busy);
	// Linux takes the ports of outgoing connections from here on
	expect(localPort).toBeGreaterThanOrEqual(32_768);
	expect(Math.max(...all)).toBeLessThan(32_768);
});

async function findPorts(count: number): Promise<number[]> {
	const ports: number[] = [];
	while (ports.length < count) ports.push(await findFreePort());
	return ports;
}
