import { once, parseArgs, process } from '../support/platform';
import { parseUrl } from '../../nodes/WorkspaceCrm/crm/urls';
import { isLoopback } from './http/guard';
import { startSandbox } from './index';
import type { SandboxOptions } from './options';

const help = `npm run sandbox -- [options]: a local copy of the CRM's API

  --port <number>       port to listen on, 0 for any free one (default: 8787)
  --host <address>      address to listen on (default: 127.0.0.1)
  --allow-host <name>   another host name that clients may use, repeatable
  --public-host <pair>  public=local origin of an event receiver, repeatable
  --api-key <key>       API key that clients must send (default: sandbox-key)
  --contacts <count>    number of contacts to start with (default: 0)
  --limit <count>       requests per minute, 0 for no limit (default: 120)
`;

function wholeNumber(option: string, text: string): number {
	if (!/^\d+$/.test(text)) throw new Error(`--${option} must be a whole number.`);
	return Number(text);
}

function hostName(text: string): string {
	if (parseUrl(`http://${text}`)?.host === text.toLowerCase()) return text;
	throw new Error('--allow-host must be a name, with its port if it has one: crm.test:8787.');
}

function hostPair(text: string): [string, string] {
	const [from, to] = text.split('=').map((url) => parseUrl(url));
	if (from && to) return [from.origin, to.origin];
	throw new Error('--public-host must be https://public.example.com=http://127.0.0.1:5678.');
}

/** Reads the command line; undefined if it asks for help. Throws an error that says what is wrong. */
function readOptions(): SandboxOptions | undefined {
	const one = { type: 'string' } as const;
	const several = { type: 'string', multiple: true } as const;
	const { values } = parseArgs({
		options: {
			help: { type: 'boolean' },
			port: one,
			host: one,
			'allow-host': several,
			'public-host': several,
			'api-key': one,
			contacts: one,
			limit: one,
		},
	});
	if (values.help) return undefined;
	const limit = wholeNumber('limit', values.limit ?? '120');
	return {
		port: wholeNumber('port', values.port ?? '8787'),
		host: values.host ?? '127.0.0.1',
		allowedHosts: values['allow-host']?.map(hostName),
		publicHosts: Object.fromEntries((values['public-host'] ?? []).map(hostPair)),
		apiKey: values['api-key'],
		contacts: wholeNumber('contacts', values.contacts ?? '0'),
		limiter: limit === 0 ? { kind: 'off' } : { kind: 'sliding', limit },
	};
}

async function main(): Promise<void> {
	const options = readOptions();
	if (!options) {
		process.stdout.write(help);
		return;
	}
	const { host = '' } = options;
	const sandbox = await startSandbox(options);
	process.stdout.write(
		[
			`Console:  ${sandbox.url}`,
			`Base URL: ${sandbox.url}`,
			`API key:  ${sandbox.apiKey}`,
			`Try:      curl -H 'X-API-Key: ${sandbox.apiKey}' '${sandbox.url}/v1/contacts?limit=2'`,
			...(isLoopback(host)
				? []
				: [
						`Warning:  anyone who reaches ${host} can read and change everything, without a password.`,
					]),
			'Press Ctrl-C to stop.',
			'',
		].join('\n'),
	);
	await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
	await sandbox.close();
}

main().catch((error: Error) => {
	process.stdout.write(`${error.message}\n`);
	process.exitCode = 1;
});
