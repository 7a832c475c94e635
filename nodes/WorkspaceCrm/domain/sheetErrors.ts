import type { JsonObject } from './plainData';
import { InputProblem } from './inputProblem';

/**
 * What Excel, Google Sheets and LibreOffice show in a cell in place of a result, in the languages of their
 * functions. Only whole words of a known list: "#NEW!" may be a tag.
 */
const SHEET_ERRORS = new Set(
	[
		// English, and what all languages have.
		'#N/A #REF! #NAME? #VALUE! #DIV/0! #NUM! #NULL! #ERROR! #SPILL! #CALC! #FIELD! #BLOCKED! #CONNECT!',
		'#UNKNOWN! #GETTING_DATA #EXTERNAL! #PYTHON! #BUSY! #ARG! Loading...',
		// German, Dutch.
		'#NV #BEZUG! #WERT! #ZAHL! #ÜBERLAUF! #KALK! #FELD! #N/B #VERW! #NAAM? #WAARDE! #DEEL/0! #GETAL! #LEEG!',
		// French, Spanish, Portuguese, Italian.
		'#NOM? #VALEUR! #NOMBRE! #NUL! #EPARS! #PROPAGATION!',
		'#N/D #¡REF! #¿NOMBRE? #¡VALOR! #¡DIV/0! #¡NUM! #¡NULO! #¡DESBORDAMIENTO! #¡CALC!',
		'#NOME? #VALOR! #NÚM! #NULO! #DESPEJAR! #RIF! #VALORE! #NULLO! #ESPANSIONE!',
		// Swedish, Danish, Norwegian, Finnish.
		'#SAKNAS! #REFERENS! #NAMN? #VÄRDEFEL! #DIVISION/0! #OGILTIGT! #SKÄRNING!',
		'#I/T #REFERENCE! #NAVN? #VÆRDI! #VERDI! #PUUTTUU! #VIITTAUS! #NIMI? #ARVO! #JAKO/0! #LUKU! #TYHJÄ!',
		// Polish, Czech, Hungarian, Turkish, Russian.
		'#N/D! #ADR! #NAZWA? #DZIEL/0! #LICZBA! #NENÍ_K_DISPOZICI #ODKAZ! #NÁZEV? #HODNOTA! #ČÍSLO!',
		'#DĚLENÍ_NULOU! #HIÁNYZIK #HIV! #NÉV? #ÉRTÉK! #ZÉRÓOSZTÓ! #SZÁM! #NULLA!',
		'#YOK #BAŞV! #AD? #DEĞER! #SAYI/0! #SAYI! #BOŞ! #Н/Д #ССЫЛКА! #ИМЯ? #ЗНАЧ! #ДЕЛ/0! #ЧИСЛО! #ПУСТО!',
	].flatMap((line) => line.split(' ')),
);
const MAX_LENGTH = 40;

/** Such as Err:502, which LibreOffice shows. */
const NUMBERED = /^Err:5\d\d$/;

/** Whether a text is nothing but the error of a spreadsheet. */
export function isSheetError(text: string): boolean {
	if (text.length > MAX_LENGTH) return false;
	const word = text.trim();
	return SHEET_ERRORS.has(word) || NUMBERED.test(word);
}

/** A large number that has lost digits, such as 1.23457E+11: it has fewer than it says. */
function isRounded(text: string): boolean {
	if (text.length > MAX_LENGTH) return false;
	const [, more = '', exponent] = /^\s*[+-]?\d[.,](\d+)E\+(\d+)\s*$/i.exec(text) ?? [];
	return exponent !== undefined && more.length < Number(exponent);
}

/** What to do about it. */
export const KEEP_DIGITS =
	'Its last digits are lost. In the spreadsheet, format the column as a number without decimals, and export it again, or export it as an XLSX file.';

/** Nobody can know what a number means that was a date, a percentage or an amount in the spreadsheet. */
export const AS_TEXT =
	"In a spreadsheet, it may be a date. Make a text of it by an expression in this column or in an Edit Fields node: {{ typeof $json.x === 'number' ? DateTime.fromISO('1899-12-30').plus({ days: $json.x }).toISODate() : $json.x }} for a date, or {{ $json.x?.toString() }} for the number, with your field for x. In the Google Sheets node, you can set 'Output Formatting' to 'Values (formatted)'.";

/**
 * @throws InputProblem if a value, or any in it, is what a spreadsheet shows in place of a result, such as #N/A, or a
 * number that it has rounded
 */
export function assertFromSheet(value: unknown, label: string): void {
	for (const text of textsIn(value)) {
		if (isSheetError(text)) {
			throw new InputProblem(
				`'${label}' is ${text.trim()}: the sheet has an error in this cell`,
				'Correct the formula in the sheet, or make it give a blank cell, for example with IFERROR.',
			);
		}
		if (isRounded(text)) {
			throw new InputProblem(
				`'${label}' is ${text.trim()}, a number that was rounded`,
				KEEP_DIGITS,
			);
		}
	}
}

function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	if (typeof value !== 'object' || value === null) return [];
	return Object.values(value as JsonObject).flatMap(textsIn);
}
