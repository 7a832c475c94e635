/** What spreadsheets and their files make of a value that nobody has changed. */
import { tryParseJson } from '../../../domain/json';
import { InputProblem } from '../../../domain/problem';
import { KEEP_DIGITS } from '../../../domain/sheetErrors';
import { trimmed } from '../../../domain/text';

/** Whether a value is the stored one as spreadsheets read, keep or show it. */
export function isInSheet(stored: unknown, given: unknown): boolean {
	if (typeof stored === 'number') return shownNumbers(given).some((each) => isShort(stored, each));
	if (typeof stored !== 'string' || stored.trim() === '') return false;
	// They read a text such as "007" or "true" as what it looks like.
	if (typeof given === 'boolean') return stored.toLowerCase() === String(given);
	if (typeof given === 'number') {
		return [Number(stored), ...shownNumbers(stored)].some((each) => isKept(each, given));
	}
	if (typeof given !== 'string') return false;
	const text = trimmed(given);
	return text === String(Number(stored)) || (isYesNo(text) && text === stored.toUpperCase());
}

const isYesNo = (text: string) => text === 'TRUE' || text === 'FALSE';

/** Numbers with marks for thousands. */
const GROUPED = /^[-+]?\d{1,3}(?:[.,]\d{3})+$/;

/** The numbers that a cell may show, with the marks of any country. */
function shownNumbers(given: unknown): unknown[] {
	if (typeof given !== 'string') return [given];
	const text = trimmed(given);
	const other = GROUPED.test(text) ? text.replace(/[.,]/g, '') : text.replace(',', '.');
	return [text, other].map((each) => tryParseJson(each));
}

/** Excel keeps 15 digits. */
function isKept(number: unknown, kept: unknown): boolean {
	return typeof number === 'number' && (kept === number || kept === Number(number.toPrecision(15)));
}

/**
 * Whether a number is a fraction with as many digits as spreadsheets show: in the format General, ten, of which
 * zeros behind the point are some, or six of very small ones; in Google Sheets ten.
 */
function isShort(stored: number, shown: unknown): boolean {
	if (isKept(stored, shown)) return true;
	if (Number.isInteger(stored)) return false;
	const exponent = exponentOf(stored);
	if (exponent === GENERAL_DIGITS && shown === Math.trunc(stored)) return true;
	const general = exponent < -4 ? SCIENTIFIC_DIGITS : GENERAL_DIGITS + Math.min(0, exponent);
	return [general, GENERAL_DIGITS].some((digits) => shown === Number(stored.toPrecision(digits)));
}

const GENERAL_DIGITS = 10;
const SCIENTIFIC_DIGITS = 6;

const exponentOf = (number: number) => Math.floor(Math.log10(Math.abs(number)));

/** @throws InputProblem for a large number with as few digits as the format General shows of the stored one */
export function assertNotShortened(stored: unknown, given: unknown): void {
	if (typeof stored !== 'number' || exponentOf(stored) <= GENERAL_DIGITS) return;
	const shown = typeof given === 'string' ? tryParseJson(trimmed(given)) : given;
	if (shown === stored || shown !== Number(stored.toPrecision(SCIENTIFIC_DIGITS))) return;
	throw new InputProblem(
		`${String(given)} is a number that was rounded: the CRM has ${stored}`,
		KEEP_DIGITS,
	);
}
