/** What a service has against one field of a body. */
export interface FieldProblem {
	/** The field as the service names it, with dots between objects and what is in them. */
	field: string;
	kind: 'missing' | 'unknown' | 'wrong';
	/** The kind of value that it wants, if it says so. */
	wants?: Wanted;
}

export type Wanted = 'list' | 'object' | 'text' | 'phone' | 'id';

/** What frameworks say of a field that is not there: nothing more than that. */
const MISSING_PHRASES =
	/^((value|field|attribute|parameter|property|this (value|field|attribute)|input) )?((is |was )?(required|missing|mandatory)|(can ?not|can't|must not|should not|may not) be (blank|empty|null|undefined)|must be (present|given|set)|must have required property.*)$|^(value_error\.missing|missing|presence|required|not_?null|not_?blank|is_?not_?empty|is_?missing|undefined|field required)$/i;

/** What they say of a field that they do not know. */
const UNKNOWN_PHRASES =
	/^((property|field|key|attribute|parameter|this field) )?(is not (allowed|permitted|expected)|is unknown|should not exist|was not expected|is unexpected)$|^(extra_forbidden|extra (inputs|fields) (are )?not (permitted|allowed)|unknown[_ ](fields?|key|property)(\(s\))?|unrecogni[sz]ed[_ ]keys?(\(s\))?.*|additional ?properties|must not have additional propert(y|ies).*|this field (was not expected|is not allowed).*|unexpected (field|property|key)|value_error\.extra)$/i;

/** Whether a text says of a field only that it is missing, or that it is unknown. */
export function readKind(text: string, field: string): 'missing' | 'unknown' | undefined {
	const said = withoutName(text.trim().replace(/\.$/, ''), field);
	if (UNKNOWN_PHRASES.test(said)) return 'unknown';
	return MISSING_PHRASES.test(said) ? 'missing' : undefined;
}

/** "The template name field is required" of `template_name` is "is required". */
function withoutName(text: string, field: string): string {
	const last = field.split('.').at(-1) ?? '';
	const words = (name: string) => name.replace(/[._-]/g, ' ').toLowerCase();
	const [, subject = '', rest = text] =
		/^(?:the |property )?["'`]?([\w. -]{1,80}?)["'`]?(?: field| attribute| property)? ((?:is|was|must|should|may|can|can't|cannot) .*)$/i.exec(
			text,
		) ?? [];
	return [words(field), words(last)].includes(words(subject)) ? rest : text;
}

/** The kind of value that a text asks for, if it does nothing else. */
export function readWanted(text: string): Wanted | undefined {
	const said = text.trim().replace(/\.$/, '');
	return WANTED.find(([pattern]) => pattern.test(said))?.[1];
}

const A =
	'(?:must be|should be|has to be|expected|must be of type|is not|value is not) (?:a |an |of type )?(?:valid )?';

const WANTED: ReadonlyArray<readonly [RegExp, Wanted]> = [
	[/^(list_type|type_error\.list|input should be a valid (list|array))$/i, 'list'],
	[
		/^(dict_type|type_error\.dict|model_type|model_attributes_type|input should be a valid dictionary.*)$/i,
		'object',
	],
	[/^(string_type|type_error\.str|input should be a valid string)$/i, 'text'],
	[/^(uuid_parsing|uuid_type|type_error\.uuid|input should be a valid uuid.*)$/i, 'id'],
	[new RegExp(`${A}(?:list|array|sequence)(?:, received \\w+)?$`, 'i'), 'list'],
	[
		new RegExp(`${A}(?:object|dict|dictionary|map|hash|mapping)(?:, received \\w+)?$`, 'i'),
		'object',
	],
	[new RegExp(`${A}string(?:, received \\w+)?$`, 'i'), 'text'],
	[new RegExp(`${A}(?:phone number|E\\.164 number|msisdn)(?: in E\\.164 format)?$`, 'i'), 'phone'],
	[new RegExp(`${A}uuid$`, 'i'), 'id'],
];

const NAME = '([`\'"]?)([A-Za-z_][\\w.-]{0,80})\\1';
const FIELD = '(?:field|property|key|parameter|param|attribute)';

const MISSING = [
	`(?:missing|required) (?:required )?${FIELD}:? ${NAME}`,
	`${FIELD} (?:is )?(?:required|missing): ${NAME}`,
	`missing: ${NAME}`,
	`param is missing or the value is empty(?: or invalid)?: ${NAME}`,
	`Key: ${NAME} Error:Field validation for '\\w+' failed on the 'required'`,
	`(?:${FIELD} )?${NAME} (?:is|are) (?:required|missing|mandatory)`,
	`${NAME} (?:must|should|can(?:no|')t|may) not be (?:blank|empty|null)`,
	`${NAME}: (?:this )?(?:${FIELD} )?(?:is )?required`,
	`must have required property ${NAME}`,
].map(toPattern);

const UNKNOWN = [
	`(?:unknown|unexpected|unrecogni[sz]ed|unsupported|additional|extra|unpermitted) ${FIELD}s?:? ${NAME}`,
	`(?:${FIELD} )?${NAME} (?:should not exist|is not allowed|is not permitted|is unknown)`,
].map(toPattern);

const WRONG = [`(?:${FIELD} )?${NAME}:? (?:must|should|has to) be`].map(toPattern);

/** A sentence begins, or ends, where another one does. */
function toPattern(source: string): RegExp {
	return new RegExp(`(?<=^|[.;,:/] |body |\\) )(?:${source})(?=$|[\\s.;,:(])`, 'gi');
}

/** Words that stand where a name could, and name nothing unless they are in quotes. */
const NO_NAME =
	/^(this|it|that|a|an|the|value|values|fields?|propert(y|ies)|parameters?|param|key|attribute|body|request|data|is|must|should|of|for|in|or|and|were|one|some|all)$/i;

/** What a sentence says of the fields that it names itself. */
export function readSentence(text: string): FieldProblem[] {
	const sentence = withNames(text);
	const of = (kind: FieldProblem['kind'], names: string[]) =>
		names.map((field): FieldProblem => ({ field, kind }));
	const unknown = namesIn(sentence, UNKNOWN);
	const [, expected = ''] =
		/expected (?:one of )?(.*)/i.exec(unknown.length > 0 ? sentence : '') ?? [];
	const known = [...expected.matchAll(/[`'"]([\w.-]+)[`'"]/g)].map(([, name = '']) => name);
	const [, list = ''] =
		/missing (?:required )?(?:fields|parameters|properties): (.*)/i.exec(sentence) ?? [];
	const listed = list.match(/[A-Za-z_][\w.-]*/g)?.filter((name) => !NO_NAME.test(name)) ?? [];
	const missing = [...namesIn(sentence, MISSING), ...known, ...listed];
	if (unknown.length + missing.length > 0)
		return [...of('unknown', unknown), ...of('missing', missing)];
	const wants = readWanted(sentence);
	return of('wrong', namesIn(sentence, WRONG)).map((problem) => ({
		...problem,
		...(wants && { wants }),
	}));
}

function namesIn(sentence: string, patterns: RegExp[]): string[] {
	const names = patterns.flatMap((pattern) =>
		[...sentence.matchAll(pattern)]
			.filter(([, quote, name = '']) => quote !== '' || !NO_NAME.test(name))
			.map(([, , name = '']) => fieldName(name)),
	);
	return [...new Set(names)].filter((name) => name !== '');
}

/** "The template name field is required", "Template name can't be blank": words that mean a name. */
function withNames(text: string): string {
	const inBody = text.replace(
		/(?:body|data)[/.](\S{1,80}) (must (?:NOT )?have (?:required|additional) propert(?:y|ies)) '(\w{1,80})'/g,
		(_all, place: string, said: string, name: string) => `${said} '${place}.${name}'`,
	);
	const inPath = inBody.replace(
		/\bbody((?:\/\w{1,80}){1,6}) (?=must be )/g,
		(_all, place: string) => `field '${place.slice(1).replaceAll('/', '.')}' `,
	);
	const toName = (words: string) =>
		words.includes(' ') ? words.toLowerCase().replaceAll(' ', '_') : words;
	return inPath
		.replace(
			/\bThe ([\w.]+(?: [\w.]+){0,3}) field (is |must be )/g,
			(_all, words: string, said: string) => `field '${toName(words)}' ${said}`,
		)
		.replace(
			/^([A-Z][a-z]+(?: [a-z]+){0,2}) can't be blank$/,
			(_all, words: string) => `field '${words.toLowerCase().replaceAll(' ', '_')}' is required`,
		);
}

/** Without what only says that it is in the body. */
export function fieldName(place: string): string {
	return place
		.replace(/\[(\w+)\]/g, '.$1')
		.replaceAll('/', '.')
		.replace(/^[.#]+|[.:,]+$/g, '')
		.replace(/^(?:\$\.|body\.|data\.attributes\.|payload\.|request\.|requestBody\.)+/i, '')
		.replace(/^[A-Z]\w*\.(?=[A-Z])/, '');
}
