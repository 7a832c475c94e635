import { InputProblem, quoted } from '../../../domain/inputProblem';
import { asStored } from '../../../domain/sameText';
import { hasControl } from '../../../domain/typedValues';
import { allTextsIn } from '../../../operations/wordsForNothing';

/** What readers of files put in place of letters that their encoding does not have. */
const LOST = '\ufffd';
/** Windows-1252 from 0x80 on, with controls where it has no letter. */
const FROM_0X80 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
const ASCII = /^[ -~]*$/;

/** Whether a text was read in a wrong encoding. */
export function isMisread(text: string): boolean {
	return text.includes(LOST) || hasControl(asStored(text)) || isUtf8(text);
}

/** Whether the letters of a text are bytes of UTF-8 that were read as Windows-1252, as in "MÃ¼ller". */
function isUtf8(text: string): boolean {
	if (ASCII.test(text)) return false;
	const bytes = Array.from(text, (letter) => {
		const place = FROM_0X80.indexOf(letter);
		return place < 0 ? letter.charCodeAt(0) : 0x80 + place;
	});
	if (bytes.every((byte) => byte < 0x80) || bytes.some((byte) => byte > 0xff)) return false;
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes)) !== '';
	} catch {
		return false;
	}
}

/** @throws InputProblem if a value, or any in it, was read in a wrong encoding */
export function assertWellRead(value: unknown, label: string): void {
	const wrong = allTextsIn(value).find(isMisread);
	if (wrong === undefined) return;
	throw new InputProblem(
		`'${label}' is ${quoted(wrong)}: the file was read in a wrong encoding`,
		"Nothing was sent for this item. Save the file as XLSX or as 'CSV UTF-8', or choose its encoding in the node that reads it.",
	);
}
