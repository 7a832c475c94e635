import { InputProblem } from './problem';

/**
 * A list of names that the user gave as comma-separated text, or as an array by expression.
 * Blanks and repetitions are left out; the order stays.
 *
 * @param label what the field is called in the editor, for the error
 * @throws InputProblem when the list holds anything but text and numbers
 */
export function readNames(value: unknown, label: string): string[] {
	const entries = Array.isArray(value) ? value : String(readScalar(value, label)).split(',');
	const names = entries.map((entry) => String(readScalar(entry, label)).trim());
	return [...new Set(names.filter((name) => name !== ''))];
}

function readScalar(value: unknown, label: string): string | number {
	if (value === undefined || value === null) return '';
	if (typeof value === 'string' || typeof value === 'number') return value;
	throw new InputProblem(
		`'${label}' holds a value that is not text`,
		'Use comma-separated text, or an expression that gives an array of texts.',
	);
}
