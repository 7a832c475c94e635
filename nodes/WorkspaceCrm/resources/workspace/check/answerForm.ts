import { isJsonObject } from '../../../domain/json';

/** The form of a JSON value: names and kinds, never values. */
export type AnswerForm = string | AnswerForm[] | { [name: string]: AnswerForm };

/** Which names are shown that nobody knows: those that all records have, or none. */
export type Unknown = 'ofRecords' | 'masked';

/** A form is read by people. */
const MAX_NAMES = 100;
const MAX_RECORDS = 100;
const MAX_DEPTH = 6;

/**
 * The form of an answer, to be shown to strangers. The records of a list are taken together. A name is
 * shown only if services commonly call a field so; any other may be a tag, an attribute or an id.
 *
 * @param unknown `ofRecords` shows the other names, too, that at least two records have, and all. That
 * is for lists of what is no person's: templates, automations, segments.
 */
export function formOf(value: unknown, unknown: Unknown): AnswerForm {
	const seen = newSeen();
	see(seen, value, 0);
	return print(seen, { unknown, isInList: false });
}

/** What was seen at one place of an answer, in all its records. */
interface Seen {
	/** The kinds of values that are neither objects nor lists. */
	kinds: Set<string>;
	objects: number;
	fields: Map<string, { seen: Seen; count: number }>;
	/** Names that are not looked at, as there are too many. */
	more: number;
	lists: number;
	elements?: Seen;
}

const newSeen = (): Seen => ({
	kinds: new Set(),
	objects: 0,
	fields: new Map(),
	more: 0,
	lists: 0,
});

function see(seen: Seen, value: unknown, depth: number): void {
	if (depth > MAX_DEPTH) {
		seen.kinds.add('more levels');
	} else if (Array.isArray(value)) {
		seen.lists += 1;
		const first: unknown[] = value.slice(0, MAX_RECORDS);
		for (const element of first) see((seen.elements ??= newSeen()), element, depth + 1);
	} else if (isJsonObject(value)) {
		seen.objects += 1;
		for (const name in value) {
			const known = seen.fields.get(name);
			if (!known && seen.fields.size >= MAX_NAMES) {
				seen.more += 1;
				continue;
			}
			const field = known ?? { seen: newSeen(), count: 0 };
			seen.fields.set(name, field);
			field.count += 1;
			see(field.seen, value[name], depth + 1);
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
	unknown: Unknown | 'all masked';
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

function printObject(seen: Seen, place: Place): AnswerForm {
	const isShown = shownNames(seen, place);
	const masked = [...seen.fields].filter(([name]) => !isShown(name));
	const form: Array<[string, AnswerForm]> = [...seen.fields]
		.filter(([name]) => isShown(name))
		.map(([name, field]) => {
			const unknown = HOLDS_DATA.test(name) ? 'all masked' : place.unknown;
			const inner = print(field.seen, { unknown, isInList: false });
			return [name, field.count < seen.objects ? { 'not always': inner } : inner];
		});
	const count = masked.length + seen.more;
	if (count > 0) {
		const kinds = new Set(masked.map(([, field]) => roughKind(field.seen)));
		form.push([
			`(${count} ${count === 1 ? 'name' : 'names'}, masked)`,
			[...kinds].sort().join(' or '),
		]);
	}
	return Object.fromEntries(form);
}

/** Fields of which all that is below belongs to the user's customers. */
const HOLDS_DATA =
	/^(attributes|answers|variables|custom(_?(fields|attributes))?|properties|metadata|params|traits|fields)$/i;

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
	success error errors detail trigger code version elementName hsm`.split(/\s+/),
);

const OWN_NAME =
	/^(template|contact|automation|segment|tag|event|subscription|workspace|message|account)(_id|_name|_key|Id|Name)$/;

const isKnown = (name: string) => KNOWN.has(name) || OWN_NAME.test(name);

/** What a programmer would call a field. Neither ids nor phones, nor what a person types. */
const IDENTIFIER = /^[A-Za-z_$][A-Za-z_$-]{0,29}\d{0,2}$/;

/** Which names of an object are shown. */
function shownNames(
	{ fields, objects }: Seen,
	{ unknown, isInList }: Place,
): (name: string) => boolean {
	if (unknown === 'all masked') return () => false;
	if (unknown === 'masked' || !isInList || objects < 2) return isKnown;
	return (name) => isKnown(name) || (IDENTIFIER.test(name) && fields.get(name)?.count === objects);
}

function roughKind({ kinds, objects, lists }: Seen): string {
	if (objects > 0) return 'object';
	if (lists > 0) return 'list';
	const [kind = 'nothing'] = kinds;
	return kind.startsWith('text') || kind === 'empty text' ? 'text' : kind;
}
