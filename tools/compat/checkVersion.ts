import type { Host } from '../n8n/installHost';
import { createOwner } from '../n8n/owner';
import { installPackage } from '../n8n/packPackage';
import { startN8n } from '../n8n/n8nServer';
import { repositoryFolder } from '../n8n/paths';
import { runProcess } from '../n8n/processes';
import { createUserFolder, removeUserFolder } from '../n8n/userFolders';
import { fs, os, path, process } from '../support/platform';

/** How a version of n8n works with the package. */
export interface Verdict {
	/** `yes`, or what went wrong. */
	loads: string;
	/** How each example went: its tests that failed, by the file of the example. */
	examples: Map<string, string[]>;
}

interface JestResults {
	testResults: Array<{
		assertionResults: Array<{ fullName: string; status: string; failureMessages: string[] }>;
	}>;
}

const manifest = JSON.parse(
	fs.readFileSync(path.join(repositoryFolder, 'package.json'), 'utf8'),
) as { n8n: { nodes: string[] } };
const nodeNames = manifest.n8n.nodes.map((file) => {
	const [first, ...rest] = path.basename(file, '.node.js');
	return `n8n-nodes-workspace-crm.${first.toLowerCase()}${rest.join('')}`;
});

/** Starts this n8n with the package in it, and runs the tests of all examples there. */
export async function checkVersion(host: Host, archive: string): Promise<Verdict> {
	const missing = await findMissingNodes(host, archive);
	if (missing.length > 0) return notTried(missing.map((name) => `${name} is missing`).join('; '));
	return { loads: 'yes', examples: await testExamples(host) };
}

/** The verdict if the examples could not be tried. */
export function notTried(reason: string): Verdict {
	return { loads: reason, examples: new Map() };
}

/** Asks for the list that the editor loads. */
async function findMissingNodes(host: Host, archive: string): Promise<string[]> {
	const userFolder = await createUserFolder(host.folder);
	try {
		await installPackage(archive, userFolder);
		const n8n = await startN8n({ host, userFolder });
		try {
			await n8n.rest.setUpOwner(createOwner());
			const types = await n8n.rest.nodeTypes();
			return nodeNames.filter((wanted) => !types.some(({ name }) => name === wanted));
		} finally {
			await n8n.stop();
		}
	} finally {
		await removeUserFolder(userFolder);
	}
}

/** Runs the same tests as for the pinned n8n. */
async function testExamples(host: Host): Promise<Map<string, string[]>> {
	const folder = await fs.promises.mkdtemp(path.join(os.tmpdir(), 'compat-'));
	const outputFile = path.join(folder, 'results.json');
	// An n8n that a failed test has left running would keep it from ending.
	const command = [
		'node_modules/.bin/jest',
		'--selectProjects',
		'n8n',
		'--runInBand',
		'--forceExit',
	];
	const args = [...command, '--json', `--outputFile=${outputFile}`, 'test/n8n/examples.test.ts'];
	try {
		await runProcess(process.execPath, args, {
			cwd: repositoryFolder,
			env: { ...process.env, TEST_N8N_FOLDER: host.folder },
			// failed tests end Jest with an error, and are part of the verdict
		}).catch(() => {});
		const { testResults } = JSON.parse(
			await fs.promises.readFile(outputFile, 'utf8'),
		) as JestResults;
		const examples = new Map<string, string[]>();
		for (const { fullName, status, failureMessages } of testResults[0].assertionResults) {
			const [file] = /[\w-]+\.json/.exec(fullName) ?? [];
			if (file === undefined) continue;
			const failures = examples.get(file) ?? [];
			examples.set(file, failures);
			if (status === 'failed') failures.push(`${fullName}: ${failureMessages[0] ?? ''}`);
		}
		return examples;
	} finally {
		await fs.promises.rm(folder, { recursive: true });
	}
}
