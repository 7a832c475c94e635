import { ensureHost } from '../../../../tools/n8n/installHost';
import { repositoryFolder } from '../../../../tools/n8n/paths';
import { runProcess } from '../../../../tools/n8n/processes';
import { path, process } from '../../../../tools/support/platform';
import { chosen, contactId, variablesOf } from '../../../workflow/support';

test("n8n's Engine 2.0 asks nobody: it would not wait for the reply", async () => {
	const { folder, nodePath } = await ensureHost();
	const ours = path.join(repositoryFolder, 'dist/nodes/WorkspaceCrm/WorkspaceCrm.node.js');
	const parameters = {
		...{ resource: 'message', operation: 'sendAndWait', options: {} },
		...{ limitType: 'afterTimeInterval', resumeAmount: 1, resumeUnit: 'days' },
		contactId: chosen('id', contactId),
		template: chosen('name', 'question'),
		templateVariables: variablesOf({ question: 'May we?' }),
	};
	const program = path.join(repositoryFolder, 'test/n8n/message/ask/nextEngine.cjs');
	const host = path.join(folder, 'package.json');
	const options = { cwd: repositoryFolder, env: process.env as Record<string, string> };
	const output = await runProcess(
		nodePath,
		[program, host, ours, JSON.stringify(parameters)],
		options,
	);
	expect(JSON.parse(output)).toMatchObject({
		message: 'This execution cannot wait for a reply',
		description: expect.stringContaining("n8n's Engine 2.0"),
	});
}, 900_000);
