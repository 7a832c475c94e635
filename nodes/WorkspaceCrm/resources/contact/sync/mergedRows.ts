/** Which rows mean one contact, and what they ask for it together. */
import { ATTRIBUTE, labelOf } from '../../../domain/contactColumns';
import { addTo } from '../../../domain/groups';
import { InputProblem } from '../../../domain/inputProblem';
import { dropNothings } from '../../../domain/plainData';
import { isSameStored } from '../../../domain/sameText';
import { named } from '../../../domain/text';
import { firstKey, keysOf, type Named, Subscribers } from '../../../domain/sameNumber';
import { allOf, placesOf, shownBy, type GivenFields, type Row } from './row';
import type { SyncOptions } from './syncFields';

/** A contact as the input describes it, merged from all rows with its phone number or ID. */
export interface DesiredContact {
	/** If the rows contain it. Then requests use the ID, so that they never create a contact. */
	id?: string;
	/** Empty if the rows contain only the ID. */
	phone: string;
	isUnverified?: boolean;
	/** Whether only the No of refused rows is sent, and nothing unless the CRM has the contact. */
	mustExist?: boolean;
	fields: GivenFields;
	rows: readonly [Row, ...Row[]];
}

/**
 * Merges rows with the same key into one contact each, in the order of their first rows. Rows of one contact
 * that disagree on its consent get a problem instead.
 *
 * @param keyOf by default, the ID or the phone number
 */
export function mergeRows(
	rows: readonly Row[],
	options: SyncOptions,
	keyOf: (row: Row) => string = firstKey,
): DesiredContact[] {
	const byKey = new Map<string, [Row, ...Row[]]>();
	for (const row of rows) {
		if (row.problem !== undefined || row.isBlank) continue;
		const key = keyOf(row);
		const same = byKey.get(key);
		if (same) same.push(row);
		else byKey.set(key, [row]);
	}
	const merged = Array.from(byKey.values(), (same): DesiredContact => {
		const { phone, isUnverified } = same.find((row) => row.phone !== '') ?? same[0];
		const id = same.find((row) => row.id !== undefined)?.id;
		const fields = mergeFields(same.map((row) => row.fields));
		return { id, phone, isUnverified, fields, rows: same };
	});
	return merged.filter(({ rows: same }) => {
		const problem = rowsDisagree(same, options);
		for (const row of same) row.problem = problem;
		return problem === undefined;
	});
}

/** The contacts of rows of which nothing but an 'Opt In: No' is to be sent, and only if the CRM has them. */
export function askingForNo(rows: readonly Row[]): DesiredContact[] {
	const onlyNo = rows.map((row) => ({ ...row, problem: undefined, fields: { opt_in: false } }));
	return mergeRows(onlyNo, {}).map((each) => ({ ...each, mustExist: true }));
}

/** What a row says about consent: No, too, if it shows the contact as opted out, unless those may be opted in. */
function saidBy({ fields, shown }: Row, { optInOptedOut }: SyncOptions): boolean | undefined {
	return shown?.hasOptedOut && !optInOptedOut ? false : fields.opt_in;
}

function rowsDisagree(rows: readonly Row[], options: SyncOptions): InputProblem | undefined {
	const [yes, no] = [true, false].map((asked) =>
		rows.find((row) => saidBy(row, options) === asked),
	);
	if (!yes || !no) return undefined;
	const said = no.fields.opt_in === false ? 'No' : 'opted_out';
	return new InputProblem(
		`${allOf([yes, no])} are the same contact, and disagree on 'Opt In'`,
		`Nothing was sent for this contact: ${nameOf(yes)} says Yes, ${nameOf(no)} says ${said}. Correct or remove one of them.`,
	);
}

/**
 * What rows that nothing is sent for say about consent: it counts for the other rows of their contacts.
 *
 * @returns a function that says why the consent of a contact is in doubt, if it is; undefined if there are no such rows
 */
export function doubtsIn(rows: readonly Row[], options: SyncOptions) {
	const unsentRows = rows.filter(
		(row) =>
			row.problem !== undefined && (row.isConsentUnclear || saidBy(row, options) !== undefined),
	);
	if (unsentRows.length === 0) return undefined;
	const byKey = new Map<string, Row[]>();
	// A number that cannot be read may be that of any contact with its last digits.
	const unread = new Subscribers<{ id: string; phone?: string; row: Row }>();
	for (const row of unsentRows) {
		const { item, phone, typedPhone } = row;
		if (phone === '') unread.add({ id: String(item), phone: typedPhone, row });
		for (const key of [row, ...shownBy(row)].flatMap(keysOf)) addTo(byKey, key, row);
	}
	return (
		{ fields, rows: [first] }: DesiredContact,
		named: readonly Named[],
	): InputProblem | undefined => {
		const same = named.flatMap(keysOf).flatMap((key) => byKey.get(key) ?? []);
		const near = named.flatMap(({ phone }) => unread.of({ phone }));
		const unsent = [...same, ...near.map(({ row }) => row)];
		const other = unsent.find(
			(row) => row.isConsentUnclear || saidBy(row, options) !== fields.opt_in,
		);
		return other && doubt(first, other);
	};
}

function doubt(row: Row, other: Row): InputProblem {
	const name = nameOf(other);
	const are = other.phone === '' && other.id === undefined ? 'may be' : 'are';
	const why = other.isConsentUnclear
		? `what ${name} says about consent cannot be read`
		: "disagree on 'Opt In'";
	return new InputProblem(
		`${allOf([row, other])} ${are} the same contact, and ${why}`,
		`No consent is sent for this contact. Correct ${name}, and run the sync again.`,
	);
}

function nameOf(row: Row): string {
	const { word, numbers } = placesOf([row]);
	return `${word} ${numbers.join()}`;
}

/** The note on several rows of one contact: there is none on a single row. */
export function sameContact(rows: readonly Row[]): string[] {
	if (rows.length < 2) return [];
	const differ = differencesIn(rows);
	return differ.length > 0
		? [`${allOf(rows)} are one contact and differ in ${named(differ)}: the last counts.`]
		: [`Same contact: ${allOf(rows)}. The last value of each field counts, and all tags.`];
}

/** The names of the fields and attributes in which rows of one contact differ. */
function differencesIn(rows: readonly Row[]): string[] {
	const last = new Map<string, unknown>();
	const differ = new Set<string>();
	for (const { fields } of rows) {
		const { name, locale, source, consent_proof, attributes, exactAttributes } = fields;
		const byKey = Object.entries({ ...attributes, ...exactAttributes });
		const ofAttributes = byKey.map(([key, value]) => [ATTRIBUTE + key, value] as const);
		const plain = dropNothings({ name, locale, source, consent_proof });
		for (const [id, value] of [...Object.entries(plain), ...ofAttributes]) {
			if (last.has(id) && !isSameStored(last.get(id), value)) differ.add(labelOf(id));
			last.set(id, value);
		}
	}
	return [...differ];
}

/** Takes the last value of each field and attribute, and all tags. */
function mergeFields(rows: readonly GivenFields[]): GivenFields {
	const merged: GivenFields = Object.assign({}, ...rows);
	if (rows.length === 1) return merged;
	for (const name of ['attributes', 'exactAttributes'] as const) {
		const entries = rows.flatMap((row) => Object.entries(row[name] ?? {}));
		if (entries.length > 0) merged[name] = Object.fromEntries(entries);
	}
	const tags = rows.flatMap((row) => row.tags ?? []);
	if (tags.length > 0) merged.tags = [...new Set(tags)];
	return merged;
}
