import type { Explanation } from './survivors';

/** What became of a mutant, in the words of Stryker's report. */
type Status =
	| 'Killed'
	| 'Timeout'
	| 'Survived'
	| 'NoCoverage'
	| 'RuntimeError'
	| 'CompileError'
	| 'Ignored'
	| 'Pending';

interface Position {
	/** From 1. */
	line: number;
	column: number;
}

/** The parts that are read here of the report that Stryker writes as JSON. */
export interface MutationReport {
	files: Record<
		string,
		{
			source: string;
			mutants: Array<{
				mutatorName: string;
				replacement?: string;
				status: Status;
				location: { start: Position; end: Position };
			}>;
		}
	>;
}

/** A mutant that the tests did not notice. */
export interface Survivor {
	/** From `nodes/WorkspaceCrm`. */
	file: string;
	/** From 1. */
	lineNumber: number;
	/** The whole line that it begins in. */
	line: string;
	original: string;
	replacement: string;
	isCovered: boolean;
	/** Why no test can notice it, where somebody has said so. */
	reason?: string;
}

export interface FileResult {
	file: string;
	killed: number;
	timedOut: number;
	survived: number;
	notCovered: number;
}

/** Counts the mutants of each file, sorted by name. Those that cannot run at all do not count. */
export function countByFile({ files }: MutationReport): FileResult[] {
	return Object.entries(files)
		.map(([path, { mutants }]) => {
			const count = (wanted: Status) => mutants.filter(({ status }) => status === wanted).length;
			return {
				file: shortName(path),
				killed: count('Killed'),
				timedOut: count('Timeout'),
				survived: count('Survived'),
				notCovered: count('NoCoverage'),
			};
		})
		.sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** All mutants that were not noticed, in the order of the code. */
export function findSurvivors(
	{ files }: MutationReport,
	explanations: readonly Explanation[],
): Survivor[] {
	return Object.keys(files)
		.sort()
		.flatMap((path) => {
			const { source, mutants } = files[path];
			const file = shortName(path);
			return mutants
				.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
				.sort((a, b) => comparePositions(a.location.start, b.location.start))
				.map(({ location, replacement = '', status }) => {
					const mutant = {
						file,
						line: inOneLine(source.split('\n')[location.start.line - 1]),
						original: inOneLine(textAt(source, location.start, location.end)),
						replacement: inOneLine(replacement),
					};
					const explanation = explanations.find((each) => isAbout(each, mutant));
					return {
						...mutant,
						lineNumber: location.start.line,
						isCovered: status === 'Survived',
						reason: explanation?.reason,
					};
				});
		});
}

/** Explanations of files in the report that explain nothing any more. */
export function findStaleExplanations(
	{ files }: MutationReport,
	survivors: readonly Survivor[],
	explanations: readonly Explanation[],
): Explanation[] {
	const checked = new Set(Object.keys(files).map(shortName));
	return explanations.filter(
		(each) => checked.has(each.file) && !survivors.some((survivor) => isAbout(each, survivor)),
	);
}

function isAbout(
	{ file, line, original, replacement }: Explanation,
	mutant: Pick<Survivor, 'file' | 'line' | 'original' | 'replacement'>,
): boolean {
	return (
		file === mutant.file &&
		(line ?? mutant.line) === mutant.line &&
		(original ?? mutant.original) === mutant.original &&
		(replacement ?? mutant.replacement) === mutant.replacement
	);
}

function shortName(path: string): string {
	return path.replace(/^nodes\/WorkspaceCrm\//, '');
}

function comparePositions(a: Position, b: Position): number {
	return a.line - b.line || a.column - b.column;
}

function textAt(source: string, start: Position, end: Position): string {
	const lines = source.split('\n').slice(start.line - 1, end.line);
	lines[lines.length - 1] = lines[lines.length - 1].slice(0, end.column - 1);
	lines[0] = lines[0].slice(start.column - 1);
	return lines.join('\n');
}

function inOneLine(text: string): string {
	return text.replace(/\s+/g, ' ').trim();
}
