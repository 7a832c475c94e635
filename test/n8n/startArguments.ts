import { parseArgs, process } from '../support/platform';

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

const help = `npm start -- [options]: a real n8n with this package, and a CRM to try it on

  --once                   run the main operations in n8n's engine, print the results and end
  --n8n                    with --once: also run the example workflows in the real n8n
  --port <number>          port of n8n (default: ${usualN8nPort}, or a free one)
  --sandbox-port <number>  port of the CRM sandbox (default: ${usualSandboxPort}, or a free one)
  --data <folder>          keep n8n's data in this folder instead of starting afresh
`;

/** Reads the command line. Prints the help, or what is wrong, and exits if there is need to. */
export function readArguments(): Arguments {
	try {
		const { values } = parseArgs({
			options: {
				help: { type: 'boolean' },
				once: { type: 'boolean' },
				n8n: { type: 'boolean' },
				port: { type: 'string' },
				'sandbox-port': { type: 'string' },
				data: { type: 'string' },
			},
		});
		if (values.help) {
			process.stdout.write(help);
			process.exit(0);
		}
		const { port, 'sandbox-port': sandboxPort, ...rest } = values;
		return { ...rest, port: portNumber(port), sandboxPort: portNumber(sandboxPort) };
	} catch (error) {
		process.stderr.write(`${(error as Error).message}\n`);
		process.exit(1);
	}
}

function portNumber(text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	const port = Number(text);
	if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
	throw new Error(`A port must be a whole number from 1 to 65535, not '${text}'.`);
}
