import { Command, InvalidArgumentError, Option } from 'commander';
import { once, process } from '../support/platform';
import { parseUrl } from '../../nodes/WorkspaceCrm/api/url';
import { isLoopback } from './http/guard';
import { startSandbox } from './index';
import type { LimiterOptions } from './options';
import { strangerShapes } from './stranger';

interface Arguments {
	port: number;
	host: string;
	allowHost: string[];
	apiKey?: string;
	contacts: number;
	limiter: LimiterOptions['kind'];
	limit?: number;
	latency: number;
	publicHost: Record<string, string>;
	stranger?: number;
}

function wholeNumber(text: string): number {
	if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
	return Number(text);
}

function hostPair(text: string, pairs: Record<string, string>): Record<string, string> {
	const [publicUrl, localUrl] = text.split('=');
	const [from, to] = [parseUrl(publicUrl), parseUrl(localUrl ?? '')];
	if (!from || !to) {
		throw new InvalidArgumentError('It must be https://public.example.com=http://127.0.0.1:5678.');
	}
	return { ...pairs, [from.origin]: to.origin };
}

function hostName(text: string, names: string[]): string[] {
	if (parseUrl(`http://${text}`)?.host !== text.toLowerCase()) {
		throw new InvalidArgumentError(
			'It must be a name, with its port if it has one: crm.test:8787.',
		);
	}
	return [...names, text];
}

function readArguments(): Arguments {
	return new Command('sandbox')
		.description('A service that behaves as the REST API of the CRM.')
		.option('--port <number>', 'port to listen on, 0 for any free one', wholeNumber, 8787)
		.option('--host <address>', 'address to listen on', '127.0.0.1')
		.option('--allow-host <name>', 'another name that it is called by, repeatable', hostName, [])
		.option('--api-key <key>', 'the key that clients must send')
		.option('--contacts <count>', 'how many contacts to begin with', wholeNumber, 0)
		.addOption(
			new Option('--limiter <kind>', 'how requests are limited')
				.choices(['sliding', 'fixed', 'tokenBucket', 'off'])
				.default('sliding'),
		)
		.option('--limit <count>', 'requests per minute and key (default: 120)', wholeNumber)
		.option('--latency <milliseconds>', 'added to every answer', wholeNumber, 0)
		.option('--stranger <seed>', 'answer in shapes chosen by chance', wholeNumber)
		.option('--public-host <pair>', 'public=local origin, repeatable', hostPair, {})
		.parse()
		.opts<Arguments>();
}

const openToOthers = (address: string) =>
	`Warning:  whoever reaches ${address} can read and change everything here, without a password.`;

async function main(): Promise<void> {
	const args = readArguments();
	const sandbox = await startSandbox({
		port: args.port,
		host: args.host,
		allowedHosts: args.allowHost,
		apiKey: args.apiKey,
		contacts: args.contacts,
		limiter: { kind: args.limiter, limit: args.limit },
		latencyMs: args.latency,
		publicHosts: args.publicHost,
		shapes: args.stranger === undefined ? undefined : strangerShapes(args.stranger),
	});
	process.stdout.write(
		[
			`Console:  ${sandbox.url}`,
			`Base URL: ${sandbox.url}`,
			`API key:  ${sandbox.apiKey}`,
			`Try:      curl -H 'X-API-Key: ${sandbox.apiKey}' '${sandbox.url}/v1/contacts?limit=2'`,
			...(isLoopback(args.host) ? [] : [openToOthers(args.host)]),
			'Ctrl-C ends it.',
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
