import { repositoryFolder } from '../n8n/paths';
import { fs, path, process } from '../support/platform';
import { isLongForm } from './form';
import { toReport, toTables } from './report';
import { takeResults } from './results';

/** After all files of tests: prints the tables, and in the long form writes them down. */
export default async function tearDown(): Promise<void> {
	const results = takeResults();
	process.stdout.write(`\n${toTables(results)}\n`);
	// A run of one file alone has not measured what the report tells.
	const isWhole = results.verdicts?.length && results.hostile?.length;
	if (!isLongForm || !isWhole) return;
	const file = path.join(repositoryFolder, 'docs/reliability/faults.md');
	fs.mkdirSync(path.dirname(file), { recursive: true });
	fs.writeFileSync(file, await toReport(results, file));
	process.stdout.write(`Written: ${path.relative(repositoryFolder, file)}\n`);
}
