import { isJsonObject, type JsonObject } from '../domain/json';

/** What a service has against one field of a body. */
export interface FieldProblem {
	/** The field as the service names it, with dots between objects and what is in them. */
	field: string;
	kind: 'missing' | 'unknown' | 'wrong';
	/** The kind of value that it wants, if it says so. */
	wants?: 'list' | 'object' | 'text' | 'phone' | 'id';
}

/** More would not be read by anyone. */
const MAX_PROBLEMS = 10;

/** Longer texts are no sentences about a field, and patterns take time. */
const MAX_SENTENCE_CHARACTERS = 500;

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
	if (depth > MAX_DEPTH) return;
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

const NAME = '[`\'"]?([A-Za-z_][\\w.\\[\\]/-]*)[`\'"]?';
const FIELD = '(?:field|property|key|parameter|param|argument|attribute)';

const MISSING = [
	`required ${FIELD}s?:? ${NAME}`,
	`missing (?:a )?(?:required )?(?:${FIELD}s?)?:? ?${NAME}`,
	`${FIELD} (?:is )?(?:required|missing):? ${NAME}`,
	`param is missing or the value is empty(?: or invalid)?: ${NAME}`,
	`Key: ${NAME} Error:Field validation for '\\w+' failed on the 'required'`,
	`${NAME}(?: ${FIELD})? (?:is|are) (?:a )?(?:required|missing|mandatory)`,
	`${NAME} (?:must|should|can(?:no|')t|may) not be (?:blank|empty|null)`,
	`${NAME} can't be blank`,
	`${NAME}: (?:this )?(?:${FIELD} )?(?:is )?required`,
].map(toPattern);

const UNKNOWN = [
	`(?:unknown|unexpected|unrecogni[sz]ed|unsupported|additional|extra|invalid|unpermitted) ${FIELD}s?:? ${NAME}`,
	`${NAME} (?:should not exist|is not allowed|is not permitted|is not supported|is unknown)`,
	`${NAME} is not a (?:known|valid|recogni[sz]ed|supported) ${FIELD}`,
].map(toPattern);

const WRONG = [`${NAME}:? (?:must|should|has to) be`, `${NAME} is not (?:a|an) `].map(toPattern);

function toPattern(source: string): RegExp {
	return new RegExp(source, 'gi');
}

const SAYS_MISSING =
	/\b(missing|required|mandatory|blank|empty|undefined|absent)\b|is_?missing|not ?(be )?null/i;
const SAYS_UNKNOWN =
	/additional|extra|unknown|unexpected|unrecogni[sz]ed|should not exist|not (allowed|permitted|supported)|forbidden/i;

const QUOTED = /[`'"]\w+[`'"]/;

/** Words that stand where a name could, and name nothing unless they are in quotes. */
const NO_NAME =
	/^(this|it|that|a|an|the|value|values|field|fields|property|properties|parameter|param|key|attribute|body|request|data|is|must|should|of|for|in|or|and)$/i;

function readStatement({ field, text }: Statement): FieldProblem[] {
	const wants = readWanted(text);
	const name = fieldName(field);
	if (name !== '') {
		const kind = SAYS_UNKNOWN.test(text)
			? 'unknown'
			: SAYS_MISSING.test(text)
				? 'missing'
				: 'wrong';
		return [{ field: name, kind, ...(kind === 'wrong' && wants && { wants }) }];
	}
	const sentence = withNames(text);
	const unknown = namesIn(sentence, UNKNOWN).map((of) => ({ field: of, kind: 'unknown' as const }));
	const [, expected = ''] =
		/expected (?:one of )?(.*)/is.exec(unknown.length > 0 ? sentence : '') ?? [];
	const quoted = [...expected.matchAll(/[`'"]([\w.-]+)[`'"]/g)].map(([, of = '']) => of);
	const missing = [...namesIn(sentence, MISSING), ...quoted].map((of) => ({
		field: of,
		kind: 'missing' as const,
	}));
	if (unknown.length + missing.length > 0) return [...unknown, ...missing];
	return namesIn(sentence, WRONG).map((of) => ({
		field: of,
		kind: 'wrong',
		...(wants && { wants }),
	}));
}

function namesIn(sentence: string, patterns: RegExp[]): string[] {
	const names = patterns.flatMap((pattern) =>
		[...sentence.matchAll(pattern)]
			.filter(([match, name = '']) => !NO_NAME.test(name) || QUOTED.test(match))
			.map(([, name = '']) => fieldName(name)),
	);
	return [...new Set(names)].filter((name) => name !== '');
}

/** "The template name field is required", "Template name can't be blank": words that mean a name. */
function withNames(text: string): string {
	const whole = text.replace(
		/(?:body|data)[/.](\S+) (must (?:NOT )?have (?:required|additional) propert(?:y|ies)) '(\w+)'/g,
		(_all, place: string, said: string, name: string) => `${said} '${place}.${name}'`,
	);
	return whole.replace(
		/(?:^|[;.,] )(?:The )?([A-Za-z]+(?: [a-z]+){0,3}?)(?: field)? (is required|can't be blank|must be)/g,
		(_all, words: string, said: string) =>
			` ${words.includes(' ') ? words.toLowerCase().replaceAll(' ', '_') : words} ${said}`,
	);
}

/** Without what only says that it is in the body. */
function fieldName(place: string): string {
	return place
		.replace(/\[(\w+)\]/g, '.$1')
		.replaceAll('/', '.')
		.replace(/^[.#]+|[.:,]+$/g, '')
		.replace(/^(?:\$\.|body\.|data\.attributes\.|payload\.|request\.|requestBody\.)+/i, '')
		.replace(/^[A-Z]\w*\.(?=[A-Z])/, '');
}

function readWanted(text: string): FieldProblem['wants'] {
	const [, said = text] = /(?:must|should|has to) be (.*)|expected (.*)/i.exec(text) ?? [];
	if (/\b(phone|e\.?164|msisdn)\b/i.test(text)) return 'phone';
	if (/\buuid\b/i.test(text)) return 'id';
	if (/\b(list|array|sequence|slice)\b|\[\]|list_type/i.test(said)) return 'list';
	if (/\b(object|dict|dictionary|map|struct|hash|mapping)\b|dict_type/i.test(said)) return 'object';
	if (/\b(string|str|text)\b|string_type/i.test(said)) return 'text';
	return undefined;
}
