import { Command, InvalidArgumentError } from 'commander';

export const usualN8nPort = 5678;
export const usualSandboxPort = 8787;

/** What a person wants of `npm start`. */
export interface Arguments {
	once?: boolean;
	n8n?: boolean;
	port?: number;
	sandboxPort?: number;
	data?: string;
}

/** Reads the command line. Shows the help, or what is wrong, and ends where there is need to. */
export function readArguments(): Arguments {
	return new Command('npm start --')
		.description('Starts a real n8n with this package, and a CRM to try it on.')
		.option('--once', "run the main operations in n8n's engine, print what came of them and end")
		.option('--n8n', 'with --once: also run the example workflows in the real n8n')
		.option('--port <number>', `port of n8n (default: ${usualN8nPort}, or a free one)`, portNumber)
		.option(
			'--sandbox-port <number>',
			`port of the CRM sandbox (default: ${usualSandboxPort}, or a free one)`,
			portNumber,
		)
		.option('--data <folder>', "keep n8n's data in this folder instead of starting afresh")
		.parse()
		.opts<Arguments>();
}

function portNumber(text: string): number {
	const port = Number(text);
	if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
	throw new InvalidArgumentError('It must be a whole number from 1 to 65535.');
}
