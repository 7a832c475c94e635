import { isJsonObject, type JsonObject } from '../domain/json';
import { fieldName, readKind, readSentence, readWanted, type FieldProblem } from './problemTexts';

export type { FieldProblem } from './problemTexts';

/** More would not be read by anyone. */
const MAX_PROBLEMS = 10;

/** More take time, and are not about a body as small as ours. */
const MAX_STATEMENTS = 50;

/** Longer texts are no sentences about a field, and patterns take time. */
const MAX_SENTENCE_CHARACTERS = 300;

const MAX_DEPTH = 6;

/**
 * What is wrong with a body, in whatever form the service says it: those of FastAPI, Rails, Laravel,
 * Django, Spring, ASP.NET, Symfony, Express, NestJS, Joi, Zod, Ajv, Go, Rust, JSON:API and of plain
 * sentences. `test/unit/api/fieldProblems.test.ts` has an example of each. Empty if nothing is found.
 */
export function readFieldProblems(body: unknown): FieldProblem[] {
	const statements: Statement[] = [];
	collect(body, '', statements);
	const found = new Map<string, FieldProblem>();
	for (const problem of statements.flatMap(readStatement)) {
		const key = `${problem.kind} ${problem.field}`;
		if (!found.has(key) && found.size < MAX_PROBLEMS) found.set(key, problem);
	}
	return [...found.values()];
}

/** A text of the service, and the field that it stands at, if any. */
interface Statement {
	field: string;
	text: string;
}

const LOCATIONS = [
	'loc',
	'path',
	'propertyPath',
	'field',
	'fields',
	'param',
	'property',
	'attribute',
	'parameter',
	'pointer',
	'instancePath',
	'keys',
];

const TEXTS = ['type', 'code', 'rule', 'keyword', 'msg', 'message', 'defaultMessage', 'detail'];
const MORE_TEXTS = ['title', 'description', 'reason', 'constraints', 'error'];

/** Names in an answer that are not those of fields. */
const ENVELOPE =
	/^(details?|msg|reason|defaultMessage|description|constraints|errors?|error_?messages?|messages?|issues|violations|field_?errors|form_?errors|invalid[-_]params|validation|body|data|source|status|code|type|title|instance|success|statusCode|non_field_errors|meta|request_?id|trace_?id|timestamp|_errors|value|input|ctx|url|location)$/i;

const AMBIGUOUS = /^(body|data|value|input|source|url|location|title|code|type)$/i;

/** Never fields: they say when, where and with what the answer came. */
const NO_TEXTS =
	/^(status|code|type|title|instance|success|statusCode|meta|request_?id|trace_?id|timestamp|value|input|ctx|url|location|path)$/i;

function collect(node: unknown, field: string, into: Statement[], depth = 0): void {
	if (depth > MAX_DEPTH || into.length >= MAX_STATEMENTS) return;
	if (typeof node === 'string') {
		into.push({ field, text: node.slice(0, MAX_SENTENCE_CHARACTERS) });
	} else if (Array.isArray(node)) {
		for (const part of node) collect(part, field, into, depth + 1);
	} else if (isJsonObject(node)) {
		const places = placesIn(node);
		const texts = [...TEXTS, ...MORE_TEXTS].flatMap((name) => textsIn(node[name]));
		const isEnvelope = isJsonObject(node.errors) || Object.values(node).some(holdsObjects);
		if (places.length > 0 && texts.length > 0 && !isEnvelope) {
			for (const place of places) into.push({ field: place, text: texts.join('; ') });
			return;
		}
		for (const [name, part] of Object.entries(node)) {
			// A field may be called `body`; then there are sentences about it.
			const isField = AMBIGUOUS.test(name) && Array.isArray(part) && !holdsObjects(part);
			const isEnvelopes = ENVELOPE.test(name) && !isField;
			if (typeof part === 'string' && (NO_TEXTS.test(name) || (isEnvelope && !isEnvelopes)))
				continue;
			const inner = isEnvelopes ? field : joined(field, name);
			collect(part, inner, into, depth + 1);
		}
	}
}

const holdsObjects = (value: unknown) => Array.isArray(value) && value.some(isJsonObject);

function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	if (Array.isArray(value)) return value.filter((part) => typeof part === 'string');
	return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** The fields that an object with a message is about. */
function placesIn(node: JsonObject): string[] {
	const source = isJsonObject(node.source) ? node.source : {};
	const place = [...LOCATIONS.map((name) => node[name]), source.pointer, source.parameter].find(
		(value) =>
			// The path of the request is no place in its body.
			(typeof value === 'string' && value !== '' && !/^\/v\d/.test(value)) || Array.isArray(value),
	);
	const base = Array.isArray(place) ? place.map(String).join('.') : String(place ?? '');
	const keys = Array.isArray(node.keys) ? node.keys : [];
	const params = isJsonObject(node.params) ? node.params : {};
	const inner = [params.missingProperty, params.additionalProperty, ...keys].filter(
		(name) => typeof name === 'string',
	);
	if (inner.length > 0 && place !== node.keys) return inner.map((name) => joined(base, name));
	if (inner.length > 0) return inner;
	const { name, reason } = node;
	if (base === '' && typeof name === 'string' && typeof reason === 'string') return [name];
	// That the body is missing says nothing of a field.
	return ['', 'body'].includes(base) ? [] : [base];
}

const joined = (field: string, name: string) => (field === '' ? name : `${field}.${name}`);

/** Names that stand for the body itself. */
const NO_FIELD = /^(\$|body|dto|request|input|payload|model|root|__all__)?$/i;

function readStatement({ field, text }: Statement): FieldProblem[] {
	const name = fieldName(field);
	if (field === '') return readSentence(text);
	if (NO_FIELD.test(name) && name !== 'body') return [];
	const texts = text.split('; ');
	const kind = texts.map((part) => readKind(part, name)).find((found) => found !== undefined);
	const wants = texts.map(readWanted).find((found) => found !== undefined);
	if (kind) return [{ field: name, kind }];
	return [{ field: name, kind: 'wrong', ...(wants && { wants }) }];
}
