/** A value on its way from a field, a row or an item to a request. */
import { isNothing, plainValue, tryParseJson, type JsonObject } from '../domain/plainData';
import { InputProblem, MAX_SHOWN_CHARACTERS, quoted } from '../domain/inputProblem';
import { assertFromSheet } from '../domain/sheetErrors';
import { asName, asStored } from '../domain/sameText';
import { plainText } from '../domain/text';
import {
	readAsText,
	readJsonObject,
	readNames,
	readYesNo,
	toType,
	turningWord,
	usable,
	withoutControl,
} from '../domain/typedValues';
import { codesInBraces, cutExpression } from '../n8n/expressions';
import {
	allTextsIn,
	flawOf,
	flawOfTexts,
	holdsSuspicious,
	isLeftForNothing,
	isLeftover,
	NO_VALUE,
	saysBlank,
	UNREADABLE,
	type Flaw,
} from './wordsForNothing';
import {
	holdsExpression,
	isFromModel,
	onlyCodeOf,
	partOf,
	REFERENCE,
	holdsCode,
} from './savedValue';

/** Where a value comes from. */
export interface Source {
	/** The name of the field or column in the editor, for errors. */
	label: string;
	/** The value as the workflow holds it. Texts that begin with `=` are expressions. */
	saved?: unknown;
	/** Whether it is the item's own, so that nothing is saved for it. */
	isOwn?: boolean;
	/** Whether it was chosen from a list, where it may be anything. */
	isChosen?: boolean;
	/** Whether a blank part of it is refused: people read it, or it limits what the node does. */
	needsAllParts?: boolean;
	/** Evaluates an expression, written with its braces, for the same item. */
	evaluate?(expression: string): unknown;
	/** Why n8n cannot evaluate it. */
	problem?(label: string): InputProblem;
	/** How to turn another word into yes or no, if not by the expression in the field. */
	remedy?(): string;
}

/**
 * A value, what the workflow has saved for it, and its label. Every field, row, column and variable is read here, and
 * only what is used is judged.
 */
export class Cell {
	/** @param value in plain data: see `plainValue` */
	constructor(
		readonly value: unknown,
		private readonly source: Source,
	) {}

	get label(): string {
		return this.source.label;
	}

	/** The same with another value. */
	with(value: unknown): Cell {
		return new Cell(value, this.source);
	}

	/** The same value under another label. */
	as(label: string, more: Pick<Source, 'remedy'> = {}): Cell {
		return new Cell(this.value, { ...this.source, ...more, label });
	}

	/** A part of it; if one expression gives all parts, each is by that. */
	part(name: string): Cell {
		const { value, source } = this;
		const part = typeof value === 'object' ? partOf(value, name) : undefined;
		return new Cell(part, { ...source, saved: partOf(source.saved, name) });
	}

	/** The same as chosen from a list, unless it is the item's own, or by an expression. */
	asChosen(): Cell {
		const { value, source } = this;
		const isChosen = !source.isOwn && !holdsExpression(source.saved);
		return new Cell(value, { ...source, isChosen });
	}

	/** Whether it is nothing, or what code or an earlier node has left for nothing. Never throws. */
	get isNothing(): boolean {
		const { value, source } = this;
		if (source.problem) return false;
		if (typeof value !== 'string' || source.isChosen) return isNothing(value);
		if (source.isOwn) return isNothing(value) || isLeftover(value);
		return isNothing(value) || (holdsExpression(source.saved) && isLeftForNothing(value));
	}

	/**
	 * Decides whether a value is given, in this order: it is nothing; it is no value; it was chosen from a list; it is the
	 * error or a rounded number of a spreadsheet; it is a fixed text with code in it; it is a text in which a part is no
	 * value, which would reach customers as "Hi undefined".
	 *
	 * @returns the value; undefined if it is nothing
	 * @throws InputProblem
	 */
	given(): unknown {
		const { value, source } = this;
		if (source.problem) throw source.problem(source.label);
		if (this.isNothing) return undefined;
		usable(value, source.label);
		if (source.isChosen) return value;
		assertFromSheet(value, source.label);
		this.assertMeant();
		return value;
	}

	/** A text without blanks at its ends, '' for nothing. @throws InputProblem, as all readers do */
	text(expected?: string): string {
		return withoutControl(asStored(this.exactText(expected)), this.label);
	}

	/** A text as it is, '' for nothing. */
	exactText(expected?: string): string {
		const given = this.given();
		return given === undefined ? '' : readAsText(given, this.label, expected);
	}

	/** A list of names, in any form that `readNames` knows. Those chosen from a list stay as the service has them. */
	names(clean = this.asName): string[] {
		const { value, label, source } = this;
		if (!Array.isArray(value)) return readNames(this.given(), label, clean);
		const entries = value.map((_, index) => this.part(String(index)).asChosen().given());
		const isChosen = Array.isArray(source.saved) && !holdsExpression(source.saved);
		const given = entries.filter((entry) => entry !== undefined);
		return readNames(given, label, isChosen ? String : clean);
	}

	private readonly asName = (text: string) => asName(withoutControl(asStored(text), this.label));

	/** Undefined for nothing. */
	yesNo(): boolean | undefined {
		const given = this.given();
		return given === undefined ? undefined : readYesNo(this.label, given, () => this.remedy());
	}

	/** A JSON object, undefined for nothing. */
	json(): JsonObject | undefined {
		const { value, source } = this;
		// In the text of a JSON object, null is no leftover.
		const parsed = this.with(typeof value === 'string' ? (tryParseJson(value) ?? value) : value);
		const cell = holdsCode(source.saved) ? parsed : parsed.asChosen();
		return readJsonObject(cell.given(), this.label);
	}

	/** A text in the type of its column, such as a number; any other value as it is. */
	typed(type: string | undefined): unknown {
		const given = this.given();
		if (typeof given !== 'string') return given;
		return toType(type, asStored(given), this.label, () => this.remedy());
	}

	/** How to turn its word into yes or no by an expression; '' if nobody can. */
	private remedy(): string {
		const { saved, remedy } = this.source;
		if (remedy) return remedy();
		const code = onlyCodeOf(saved);
		return code === undefined || isFromModel(saved) ? '' : turningWord(code, this.value);
	}

	/** @throws InputProblem for a fixed text with code in it, and for what code has written without a value */
	private assertMeant(): void {
		const { value, source } = this;
		const { saved } = source;
		if (typeof saved === 'object' && saved !== null) {
			for (const name of Object.keys(saved)) this.part(name).assertMeant();
		}
		if (typeof saved !== 'string') return;
		if (!holdsExpression(saved)) return this.assertNoCode(saved, codesInBraces(saved));
		const isDoubtful = holdsSuspicious(value);
		// Of a sync's many thousands of texts, hardly any needs a closer look.
		const isPlain = typeof value === 'string' && !isDoubtful && !REFERENCE.test(value);
		if (isPlain && !source.needsAllParts) return;
		const { codes, literals } = cutExpression(saved);
		if (codes.length === 0) return this.assertNoCode(saved.slice(1), []);
		const isWhole = codes.length === 1 && literals.every((literal) => literal === '');
		if (!isDoubtful && (isWhole || !source.needsAllParts)) return;
		for (const code of codes) {
			const flaw = isWhole ? this.flawOfWhole(code) : this.flawOfPart(code);
			if (flaw) throw this.partProblem(code, flaw);
		}
	}

	private flawOfWhole(code: string): Flaw | undefined {
		const { value } = this;
		return typeof value === 'string' ? flawOf(value, code) : flawOfTexts(allTextsIn(value), code);
	}

	/**
	 * Evaluates a part of a joined text once more, alone: for people, to see whether it is blank, else if a look at the
	 * text raises a doubt. Never to build the text, because the time differs.
	 */
	private flawOfPart(code: string): Flaw | undefined {
		const { evaluate, needsAllParts } = this.source;
		let written: unknown;
		let value: unknown;
		try {
			written = evaluate?.(`{{${code}}}`);
			value = plainValue(written);
		} catch {
			return UNREADABLE;
		}
		// n8n also writes nothing for a big zero.
		const isBlank = isNothing(value) || written === 0n;
		const mustSay = isBlank && needsAllParts && !saysBlank(code);
		const isInJson = typeof this.value !== 'string';
		return flawOf(value, code, isInJson) ?? (mustSay ? NO_VALUE : undefined);
	}

	private partProblem(code: string, { does, remedy }: Flaw): InputProblem {
		const shown = plainText(code.trim(), MAX_SHOWN_CHARACTERS);
		return new InputProblem(
			`'${this.label}' would be ${quoted(this.value)}, because {{ ${shown} }} ${does}`,
			remedy,
		);
	}

	private assertNoCode(text: string, codes: readonly string[]): void {
		if (codes.length === 0 && !REFERENCE.test(text)) return;
		throw new InputProblem(
			`'${this.label}' would be ${quoted(text)}, as it is written`,
			"Nothing was sent. Switch this field to 'Expression', and write what n8n fills in between {{ and }}, such as {{ $json.name }}. Or write the value itself in place of a placeholder.",
			'Nothing was done. This field of the node must be switched to an expression by a person.',
		);
	}
}
