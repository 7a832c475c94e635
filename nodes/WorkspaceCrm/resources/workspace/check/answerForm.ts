import { isJsonObject } from '../../../domain/json';

/** The form of a JSON value: names and kinds, never values. */
export type AnswerForm = string | AnswerForm[] | { [name: string]: AnswerForm };

/**
 * The form of an answer, to be shown to strangers. Records of a list are taken together. A name that
 * may be data is masked: of a tag, of an attribute, or an id by which something is filed.
 */
export function formOf(value: unknown): AnswerForm {
	const seen = newSeen();
	see(seen, value);
	return print(seen, { isMasked: false, isInList: false });
}

/** What was seen at one place of an answer, in all its records. */
interface Seen {
	/** The kinds of values that are neither objects nor lists. */
	kinds: Set<string>;
	objects: number;
	fields: Map<string, { seen: Seen; count: number }>;
	lists: number;
	elements?: Seen;
}

const newSeen = (): Seen => ({ kinds: new Set(), objects: 0, fields: new Map(), lists: 0 });

function see(seen: Seen, value: unknown): void {
	if (Array.isArray(value)) {
		seen.lists += 1;
		for (const element of value) see((seen.elements ??= newSeen()), element);
	} else if (isJsonObject(value)) {
		seen.objects += 1;
		for (const [name, part] of Object.entries(value)) {
			const field = seen.fields.get(name) ?? { seen: newSeen(), count: 0 };
			seen.fields.set(name, field);
			field.count += 1;
			see(field.seen, part);
		}
	} else {
		seen.kinds.add(kindOf(value));
	}
}

const TEXT_KINDS: ReadonlyArray<readonly [RegExp, string]> = [
	[/^$/, 'empty text'],
	[/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'text (UUID)'],
	[/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)$/, 'text (time)'],
	[/^\d{4}-\d\d-\d\d/, 'text (date)'],
	[/^https?:\/\//i, 'text (URL)'],
	[/^\+\d{5,15}$/, 'text (phone with +)'],
	[/^\d{5,15}$/, 'text (digits)'],
];

function kindOf(value: unknown): string {
	if (value === null) return 'null';
	if (typeof value !== 'string') return typeof value === 'boolean' ? 'true or false' : typeof value;
	return TEXT_KINDS.find(([pattern]) => pattern.test(value))?.[1] ?? 'text';
}

interface Place {
	/** Whether all names from here on are masked. */
	isMasked: boolean;
	isInList: boolean;
}

function print(seen: Seen, place: Place): AnswerForm {
	const forms: AnswerForm[] = [];
	if (seen.objects > 0) forms.push(printObject(seen, place));
	if (seen.lists > 0) {
		forms.push(seen.elements ? [print(seen.elements, { ...place, isInList: true })] : []);
	}
	if (seen.kinds.size > 0) forms.push([...seen.kinds].sort().join(' or '));
	const [form = 'nothing', ...others] = forms;
	return others.length === 0 ? form : { 'one of': forms };
}

function printObject(seen: Seen, { isMasked, isInList }: Place): AnswerForm {
	const isShown = isMasked ? () => false : shownNames(seen, isInList);
	const masked = newSeen();
	let maskedNames = 0;
	const form: { [name: string]: AnswerForm } = {};
	for (const [name, field] of seen.fields) {
		if (isShown(name)) {
			const isData = isMasked || HOLDS_DATA.test(name);
			form[name] = print(field.seen, { isMasked: isData, isInList: false });
			if (field.count < seen.objects) form[name] = { 'not always': form[name] };
		} else {
			maskedNames += 1;
			mergeInto(masked, field.seen);
		}
	}
	if (maskedNames > 0) {
		const label = `(${maskedNames} ${maskedNames === 1 ? 'name' : 'names'}, masked)`;
		form[label] = print(masked, { isMasked, isInList: false });
	}
	return form;
}

function mergeInto(into: Seen, from: Seen): void {
	for (const kind of from.kinds) into.kinds.add(kind);
	into.objects += from.objects;
	into.lists += from.lists;
	if (from.elements) mergeInto((into.elements ??= newSeen()), from.elements);
	for (const [name, { seen, count }] of from.fields) {
		const field = into.fields.get(name) ?? { seen: newSeen(), count: 0 };
		into.fields.set(name, field);
		field.count += count;
		mergeInto(field.seen, seen);
	}
}

/** Fields of which all that is below belongs to the user's customers. */
const HOLDS_DATA =
	/^(attributes|answers|variables|custom_?(fields|attributes)|properties|metadata|params)$/i;

/** Names that services give to fields and envelopes. */
const KNOWN = new Set(
	`id uuid _id key slug name title label description display_name displayName type kind status state
	active enabled url href phone phone_number phoneNumber email locale language lang source category
	opt_in_status optInStatus opt_in attributes answers variables parameters params placeholders
	custom_fields properties metadata tags labels segments contacts contact templates template
	automations automation events event subscriptions subscription workspace user account text body
	content header footer buttons components message messages last_inbound_at created_at createdAt
	updated_at updatedAt secret data items results result records record rows list response payload
	value values meta pagination paging page pages links _links _embedded total total_count totalCount
	count limit offset size per_page perPage next previous prev first last cursor has_more hasMore
	success error errors detail trigger color code version`.split(/\s+/),
);

const isKnown = (name: string) => KNOWN.has(name) || /^[a-z]+(_id|_name|Id|Name)$/.test(name);

/** What a programmer would call a field. Neither ids nor phones, nor what a person types. */
const IDENTIFIER = /^[A-Za-z_$][A-Za-z_$-]{0,29}\d{0,2}$/;

/**
 * Which names of an object are those of fields. An object may be a map whose names are data instead:
 * then they differ from record to record, none is known, or the values are all of one kind.
 */
function shownNames({ fields, objects }: Seen, isInList: boolean): (name: string) => boolean {
	const names = [...fields.keys()];
	const isIdentifier = (name: string) => IDENTIFIER.test(name);
	if (isInList && objects > 1) {
		return (name) =>
			isIdentifier(name) && (isKnown(name) || Number(fields.get(name)?.count) > objects / 2);
	}
	const kinds = new Set([...fields.values()].map(({ seen }) => roughKind(seen)));
	const isUniform = names.length > 1 && kinds.size === 1 && !kinds.has('text');
	const isRecord = names.some(isKnown) && !isUniform;
	return (name) => isIdentifier(name) && (isKnown(name) || isRecord);
}

function roughKind({ kinds, objects, lists }: Seen): string {
	if (objects > 0) return 'object';
	if (lists > 0) return 'list';
	const [kind = 'nothing'] = kinds;
	return kind.startsWith('text') || kind === 'empty text' ? 'text' : kind;
}
