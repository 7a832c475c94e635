/** What spreadsheets and their files make of a value that nobody has changed. */
import { tryParseJson } from '../../../domain/json';
import { trimmed } from '../../../domain/text';

/** Whether a value is the stored one as spreadsheets read, keep or show it. */
export function isInSheet(stored: unknown, given: unknown): boolean {
	if (typeof stored === 'number') return shownNumbers(given).some((each) => isShort(stored, each));
	if (typeof stored !== 'string') return false;
	// They read a text such as "007" or "TRUE" as what it looks like.
	if (typeof given === 'number') return stored.trim() !== '' && Number(stored) === given;
	return typeof given === 'boolean' && stored.toLowerCase() === String(given);
}

/** Numbers with marks for thousands. */
const GROUPED = /^[-+]?\d{1,3}(?:[.,]\d{3})+$/;

/** The numbers that a cell may show, with the marks of any country. */
function shownNumbers(given: unknown): unknown[] {
	if (typeof given !== 'string') return [given];
	const text = trimmed(given);
	const readings = [text, text.replace(',', '.')];
	if (GROUPED.test(text)) readings.push(text.replace(/[.,]/g, ''));
	return readings.map((each) => tryParseJson(each));
}

/**
 * Whether a number is another one with as many digits as spreadsheets show or keep: in the format General, ten, of
 * which zeros behind the point are some, or six of very large and very small ones; Google Sheets ten; Excel keeps 15.
 */
function isShort(stored: number, shown: unknown): boolean {
	if (shown === stored) return true;
	const exponent = Math.floor(Math.log10(Math.abs(stored)));
	if (exponent === 10 && shown === Math.trunc(stored)) return true;
	const general = exponent < -4 || exponent > 10 ? 6 : Math.min(10, 10 + exponent);
	return [general, 10, 15].some((digits) => shown === Number(stored.toPrecision(digits)));
}
