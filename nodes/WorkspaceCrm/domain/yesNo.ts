import { InputProblem, quoted } from './problem';
import { fold } from './text';

/** In place of a switch, which cannot be left blank, and shows a choice that nobody made. */
export const YES_OR_NO = [
	{ name: 'Yes', value: 'yes' },
	{ name: 'No', value: 'no' },
	{ name: "Don't Change", value: '' },
] as const;

/** In the languages in which countries are named, and a few more. Spreadsheets translate true and false. */
const ANSWERS = new Map<string, boolean>([
	...wordsFor(
		true,
		'1 1.0 true vrai wahr vero verdadero verdadeiro waar yes y oui ja j si sí sì sim',
	),
	...wordsFor(false, '0 0.0 false faux falsch falso onwaar no n non nein nao não nee'),
]);

/**
 * Reads yes or no, in any case.
 *
 * @param label the name of the field or column in the editor
 * @throws InputProblem for anything else, also for what is blank
 */
export function readYesNo(label: string, value: unknown): boolean {
	const text = typeof value === 'object' ? '' : fold(String(value));
	const answer = ANSWERS.get(text);
	if (answer !== undefined) return answer;
	throw new InputProblem(
		`'${label}' is ${quoted(value)}, which is neither yes nor no`,
		"Enter yes, no, true or false. To turn another word into one of them, use an expression, such as {{ $json.consent === 'agreed' ? 'yes' : $json.consent }}.",
	);
}

function wordsFor(answer: boolean, words: string) {
	return words.split(' ').map((word) => [word, answer] as const);
}
