import { Command } from 'commander';

import { process } from '../../support/platform';
import { stopAllProcesses } from '../processes';
import { tryAll } from './all';
import { saveBefore, writePage } from './report';

const command = new Command('npm run test:key --')
	.description('Tries to carry off the API key in a real n8n, and writes the page about it.')
	.option('--before', 'keep the results, as those of the credential before, and write no page')
	.parse();

tryAll()
	.then(async (findings) => {
		if (command.opts<{ before?: boolean }>().before) saveBefore(findings.outcomes);
		else process.stdout.write(`Written: ${await writePage(findings)}\n`);
	})
	.catch((error: Error) => {
		process.stdout.write(`${error.stack}\n`);
		process.exitCode = 1;
	})
	.finally(async () => await stopAllProcesses());
