import type { Table } from '../../bench/output/table';
import { fs, path } from '../../support/platform';
import { repositoryFolder } from '../paths';
import { writeReport } from '../reliabilityReport';
import type { Findings, Outcomes } from './all';
import { fields } from './fields';
import type { Outcome } from './run';
import { NOT_FOLLOWED, REFUSED } from './ways';

const CARRIED_OFF = '**carried off**';
const CRASHED = 'crashed';

/** What came of a way, in a word or two. */
export function resultOf({ isStolen, isShown, isServed, error }: Outcome): string {
	if (isStolen) return CARRIED_OFF;
	if (isShown) return '**shown**';
	if (error === undefined) return isServed ? 'answered' : 'no answer';
	if (/Cannot read properties|is not a function/.test(error)) return CRASHED;
	if (Object.values(REFUSED).some((pattern) => pattern.test(error))) return 'refused';
	return NOT_FOLLOWED.test(error) ? 'not followed' : 'failed';
}

/** The results of the credential as it was before it looked at more than a request's host. */
type Before = Record<string, Record<string, string>>;
const beforeFile = path.join(repositoryFolder, 'test/n8n/key/before.json');

const keyOf = ({ title, version }: Outcome) => `${title} / ${version}`;

/** Keeps the results of another build of the package, to compare with. */
export function saveBefore(outcomes: Outcomes): void {
	const before: Before = Object.fromEntries(
		Object.entries(outcomes).map(([group, each]) => [
			group,
			Object.fromEntries(each.map((outcome) => [keyOf(outcome), resultOf(outcome)])),
		]),
	);
	fs.writeFileSync(beforeFile, `${JSON.stringify(before, null, '\t')}\n`);
}

const INTRODUCTION = `With the credential, workflows can call the whole API by n8n's HTTP Request node (**Custom API Call**). That node has options that lead a request to other hosts, and whoever may use the credential may set them. So each option is tried in a real n8n, against somebody who wants the key: a web server with and without TLS, which is a proxy too and opens the tunnels that are made through it. Everything that reaches it is searched for the key, as it is and encoded, and so is what reaches other sites at the service's own address.

- **Header Auth** is n8n's own credential of that name with the same key. It looks at nothing, and so shows what a way is worth.
- **Before** is our credential as it was when it looked at the host of a request and at nothing else. Mostly it crashed.
- *Answered*: the service answered. *Refused*: nothing was sent. *Not followed*: the answer was a redirect, and that was all. *Failed*: it came to nothing for another reason. *Shown*: the key is in what n8n gives out or stores.`;

const isPlain = (group: string) => group === 'Custom API Call';

export async function writePage({ outcomes, careless, looked }: Findings): Promise<string> {
	const before = JSON.parse(fs.readFileSync(beforeFile, 'utf8')) as Before;
	const tables = Object.entries(outcomes).map(([group, each]) =>
		toTable(group, each, careless[group] ?? [], before[group] ?? {}),
	);
	return await writeReport({
		file: 'key.md',
		title: 'Where the API key goes',
		command: 'npm run test:key',
		introduction: INTRODUCTION,
		tables: [...tables, fieldTable(), lookTable(looked)],
	});
}

function toTable(
	group: string,
	outcomes: Outcome[],
	careless: Outcome[],
	before: Record<string, string>,
): Table {
	const titles = [...new Set(outcomes.map(({ title }) => title))];
	const rows = titles.map((title) => {
		const each = outcomes.filter((outcome) => outcome.title === title);
		return [
			title,
			inVersions(
				careless.filter((outcome) => outcome.title === title),
				resultOf,
			),
			inVersions(each, (outcome) => before[keyOf(outcome)] ?? ''),
			inVersions(each, resultOf),
		];
	});
	const versions = [...new Set(outcomes.map(({ version }) => version))].join(', ');
	const stolen = outcomes.filter((outcome) => outcome.isStolen || outcome.isShown).length;
	const working = outcomes.filter((outcome) => resultOf(outcome) === 'answered').length;
	return {
		title: group,
		how: `In the versions ${versions} of the node.`,
		head: ['What is tried', 'Header Auth', 'Before', 'Now'],
		rows,
		requirements: [
			{
				text: 'the key goes to nobody else',
				measured: `${stolen} of ${outcomes.length} runs gave it away`,
				isMet: stolen === 0,
			},
			...(isPlain(group)
				? [
						{
							text: 'the service answers each of them',
							measured: `${working} of ${outcomes.length}`,
							isMet: working === outcomes.length,
						},
					]
				: []),
		],
	};
}

/** One word where all versions agree; else each, with the versions that it is of. */
function inVersions(outcomes: Outcome[], textOf: (outcome: Outcome) => string): string {
	const texts = [...new Set(outcomes.map(textOf))];
	if (texts.length <= 1) return texts[0] ?? '';
	return texts
		.map((text) => {
			const versions = outcomes.filter((outcome) => textOf(outcome) === text);
			return `${text} (${versions.map(({ version }) => version).join(', ')})`;
		})
		.join('; ');
}

function fieldTable(): Table {
	return {
		title: 'Every field of HTTP Request 4.5',
		how: 'The test reads the fields from n8n, and fails when there is one that is not here.',
		head: ['Fields', 'What n8n makes of them', 'What holds the key back'],
		rows: fields.map(({ names, become, hold }) => [
			[...new Set(names.map(shortName))].map((name) => `\`${name}\``).join(', '),
			become,
			hold,
		]),
		requirements: [],
	};
}

/** What is in a list of parameters is called like the list, and an option like itself. */
const shortName = (name: string) => /^(options\.)?[^.]+/.exec(name)?.[0] ?? name;

function lookTable(looks: Outcome[]): Table {
	const titles = [...new Set(looks.map(({ title }) => title))];
	return {
		title: 'What a workflow can read of its own request',
		how: 'The credential adds the key, and n8n sends it; what n8n shows of the request afterwards is up to n8n. Tried are the output, errors, and expressions on what they hold.',
		notes: [
			'With the answer as a file, and Never Error or pagination, n8n keeps the stream of the answer, with the request that belongs to it, in the stored data of a manual execution. Without these two options, the credential sees to it that there is no stream.',
			"Where it says 'shown', an author of workflows who may use the credential can read the key, and the credential has no hold on that. With **Allowed HTTP Request Domains** set to **None** in the credential, n8n gives it to none of these nodes, while ours work as before.",
		],
		head: ['Where', 'Now'],
		rows: titles.map((title) => [
			title,
			inVersions(
				looks.filter((look) => look.title === title),
				({ isShown }) => (isShown ? '**shown**' : 'not shown'),
			),
		]),
		requirements: [],
	};
}
