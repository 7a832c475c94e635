/** What a cell means beside the value that the CRM has. */
import { ATTRIBUTE, labelOf } from '../../../domain/contactColumns';
import { InputProblem, quoted } from '../../../domain/inputProblem';
import { isNothing, tryParseJson } from '../../../domain/plainData';
import { asStored, isSameStored } from '../../../domain/sameText';
import { AS_TEXT, KEEP_DIGITS } from '../../../domain/sheetErrors';
import { isPlainNumber, mayBeGrouped, meantText, toType } from '../../../domain/typedValues';
import { labelText } from '../../../domain/text';
import { assertWellRead } from './wrongEncoding';
import type { ColumnTypes } from './row';

/** Reads the cells of a contact, and collects what to say about them. */
export class CellReader {
	readonly notes: string[] = [];
	/** Why the contact cannot be changed as the cells say: the first that is refused. */
	problem?: InputProblem;

	constructor(private readonly types: ColumnTypes = new Map()) {}

	/** @returns the value to store, by the ID of its column; the stored one in place of a refused one */
	read(id: string, stored: unknown, given: unknown): unknown {
		const label = labelOf(id);
		return this.attempt(stored, () => {
			const type =
				typeof given === 'string' && mayBeGrouped(given) ? this.types.get(id) : undefined;
			const value = meantValue(stored, given, label, type);
			const isSame = isSameStored(value, stored);
			if (!isSame) assertWellRead(given, label);
			else if (!isSameStored(given, stored)) {
				const kept = `${label} stays ${quoted(stored)}`;
				this.notes.push(`${kept}: ${quoted(given)} means the same.`);
			}
			if (isNothing(stored) && typeof value === 'number' && id.startsWith(ATTRIBUTE)) {
				const name = labelText(id.slice(ATTRIBUTE.length));
				this.notes.push(
					`The new attribute ${name} is stored as the number ${value}, which may be a date.`,
				);
			}
			return value;
		});
	}

	/** For a value that is stored as it is. */
	check(id: string, value: unknown): void {
		this.attempt(undefined, () => assertWellRead(value, labelOf(id)));
	}

	private attempt(otherwise: unknown, read: () => unknown): unknown {
		try {
			return read();
		} catch (problem) {
			this.problem ??= problem as InputProblem;
			return otherwise;
		}
	}
}

/** @throws InputProblem for another kind of value than the stored one, unless a file of n8n makes one of the other */
function meantValue(stored: unknown, given: unknown, label: string, type?: string): unknown {
	if (isInFile(stored, given)) return stored;
	assertNotShortened(stored, given);
	const kind = isNothing(stored) ? type : kindOf(stored);
	const text = typeof given === 'number' && isForText(stored) ? String(given) : given;
	if (typeof text === 'string') {
		const value = toType(kind, asStored(text), label);
		return typeof value === 'string' ? meantText(value, String(stored ?? '')) : value;
	}
	if (isNothing(stored) || kindOf(given) === kind) return given;
	const isNumber = typeof given === 'number' && kind === 'string';
	throw new InputProblem(
		`'${label}' is ${quoted(given)}, but the CRM has ${quoted(stored)}, which is ${KINDS[kind ?? ''] ?? 'text'}`,
		isNumber ? AS_TEXT : "To store another kind of value, use 'Attributes (JSON)' under 'Options'.",
	);
}

/** Whether a number can mean such a value as its text does: yes or no, or a number that is kept as text. */
const isForText = (stored: unknown) =>
	typeof stored === 'boolean' || (typeof stored === 'string' && isPlainNumber(stored));

const KINDS: Record<string, string> = {
	number: 'a number',
	boolean: 'yes or no',
	array: 'a list',
	object: 'an object',
};

const kindOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value);

/** Whether files of n8n make a value of the stored one: another type, or fewer digits. */
function isInFile(stored: unknown, given: unknown): boolean {
	if (typeof stored === 'number') return isShort(stored, numberIn(given));
	if (typeof stored !== 'string' || isNothing(stored)) return false;
	if (typeof given === 'number') return Number(stored) === given;
	return typeof given === 'boolean' && stored.toLowerCase() === String(given);
}

const numberIn = (given: unknown) =>
	typeof given === 'string' ? tryParseJson(asStored(given)) : given;

/**
 * Whether a number is a fraction with as many digits as the format General shows: ten, of which zeros behind the point
 * are some, or six of very small ones.
 */
function isShort(stored: number, shown: unknown): boolean {
	if (shown === stored) return true;
	if (Number.isInteger(stored)) return false;
	const exponent = exponentOf(stored);
	if (exponent === GENERAL_DIGITS && shown === Math.trunc(stored)) return true;
	const digits = exponent < -4 ? SCIENTIFIC_DIGITS : GENERAL_DIGITS + Math.min(0, exponent);
	return shown === Number(stored.toPrecision(digits));
}

const GENERAL_DIGITS = 10;
const SCIENTIFIC_DIGITS = 6;

const exponentOf = (number: number) => Math.floor(Math.log10(Math.abs(number)));

/** @throws InputProblem for a large number with as few digits as the format General shows of the stored one */
function assertNotShortened(stored: unknown, given: unknown): void {
	if (typeof stored !== 'number' || exponentOf(stored) <= GENERAL_DIGITS) return;
	if (numberIn(given) !== Number(stored.toPrecision(SCIENTIFIC_DIGITS))) return;
	throw new InputProblem(
		`${String(given)} is a number that was rounded: the CRM has ${stored}`,
		KEEP_DIGITS,
	);
}
