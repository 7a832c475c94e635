import { childProcess, http, once, process } from '../../../tools/support/platform';

const start = (...args: string[]) => {
	const program = ['--import', 'tsx', 'tools/sandbox/main.ts', '--port', '0', ...args];
	const child = childProcess.spawn(process.execPath, program);
	const output = { text: '' };
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding('utf8').on('data', (part: string) => (output.text += part));
	}
	return { child, ended: once(child, 'exit'), output };
};

/** Starts the sandbox like `npm run sandbox -- …`. Returns what it printed and what it answers. */
async function look(args: string[], hosts: string[] = []) {
	const { child, ended, output } = start(...args);
	while (!output.text.includes('Ctrl-C') && child.exitCode === null) {
		await Promise.race([once(child.stdout, 'data'), ended]);
	}
	const [, port] = /Base URL: \S+:(\d+)/.exec(output.text) ?? [];
	const statuses = [];
	for (const host of hosts) {
		const headers = { host: host.replace('PORT', port) };
		const request = http.get(`http://127.0.0.1:${port}/sandbox/state`, { headers, agent: false });
		const [response] = (await once(request, 'response')) as [http.IncomingMessage];
		response.resume();
		statuses.push(response.statusCode);
	}
	child.kill('SIGTERM');
	await ended;
	return { text: output.text, statuses };
}

test('warns when it listens for others, and accepts only the allowed names', async () => {
	const args = ['--host', '0.0.0.0', '--allow-host', 'crm.example.com', '--allow-host', 'crm:8787'];
	const hosts = ['crm.example.com', 'crm:8787', '127.0.0.1:PORT', '0.0.0.0:PORT', 'crm:PORT'];
	const { text, statuses } = await look(args, hosts);
	expect(text).toMatch(
		/^Warning: {2}anyone who reaches 0\.0\.0\.0 can read and change everything, without a password\.$/m,
	);
	expect(statuses).toEqual([200, 200, 200, 403, 403]);
});
