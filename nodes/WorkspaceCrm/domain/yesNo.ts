import { wrongValue } from './problem';

/** In place of a switch, which cannot be left blank, and shows a choice that nobody made. */
export const YES_OR_NO = [
	{ name: 'Yes', value: 'yes' },
	{ name: 'No', value: 'no' },
	{ name: "Don't Change", value: '' },
] as const;

/** @throws InputProblem for anything else, also for what is blank */
export function readYesNo(label: string, value: unknown): boolean {
	const text = typeof value === 'object' ? '' : String(value).trim().toLowerCase();
	if (['true', '1', 'yes', 'y'].includes(text)) return true;
	if (['false', '0', 'no', 'n'].includes(text)) return false;
	throw wrongValue(label, value, 'yes or no');
}
