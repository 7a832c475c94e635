import { plainText } from '../domain/text';
import { CHOICES, SETTINGS, type BodyFields, type EnrollFields } from './bodyFields';
import { readFieldProblems, type FieldProblem } from './fieldProblems';

/** What a field of an assumed body stands for, and the setting in the credential that names it. */
interface Role {
	setting: string;
	/** What the setting says now. */
	field: string;
	/** How services call it. */
	words: RegExp;
	/** The setting that says in which form the value is sent, and the form now. */
	form?: { setting: string; current: keyof typeof CHOICES };
}

/** A body that the API reference does not show. */
export interface AssumedBody {
	/** The names of the fields that were sent. */
	sent: string[];
	/** What can be set in the credential, the first that fits counts. */
	roles: readonly Role[];
	/** Whether the credential names the fields already. */
	areChosen: boolean;
}

const CONTACT_WORDS =
	/contact|recipient|receiver|customer|person|user|subscriber|member|lead|phone|mobile|msisdn|whatsapp|wa_?id|^to$|\.to$/i;

/** The roles in the body of POST /v1/messages/template. */
export function sendRoles({ send }: BodyFields): Role[] {
	return [
		{
			setting: SETTINGS.variablesField,
			field: send.variablesField,
			words: /variable|param|placeholder|component|argument|values|substitution/i,
			form: { setting: SETTINGS.variablesAs, current: send.variablesAs },
		},
		{
			setting: SETTINGS.templateField,
			field: send.templateField,
			words: /template|tpl|hsm|^name$/i,
		},
		{
			setting: SETTINGS.contactField,
			field: send.contactField,
			words: CONTACT_WORDS,
			form: { setting: SETTINGS.contactAs, current: send.contactAs },
		},
	];
}

/** The role in the body of POST /v1/automations/{id}/enroll. */
export function enrollRoles({ enroll }: BodyFields): Role[] {
	return [
		{
			setting: SETTINGS.enrollContactField,
			field: enroll.contactField,
			words: CONTACT_WORDS,
			form: { setting: SETTINGS.enrollContactAs, current: enroll.contactAs },
		},
	];
}

/** What to try if a contact that is there is not found. */
export function otherContactAs(
	setting: 'contactAs' | 'enrollContactAs',
	{ contactAs }: EnrollFields,
): string {
	const other = contactAs === 'id' ? CHOICES.phone : CHOICES.id;
	return `If it is the contact that is not found, set '${SETTINGS[setting]}' in the credential to '${other}'.`;
}

/** For a refused body of which the service does not say enough. */
export function bodyHint({ sent }: AssumedBody): string {
	const fields = sent.length > 0 ? `with the fields: ${sent.join(', ')}` : 'without fields';
	return `The API reference does not show the body of this request. The node sent it ${fields}. If the service expects other fields, name them in the credential, under '${SETTINGS.switch}', or enter them in 'Body' under 'Options'. If the service refuses the fields that the node sent, also set 'Body Mode' to 'Replace Default Body'.`;
}

/** What to set so that the service takes a body that it refused; undefined if it does not say enough. */
export function adviseOnBody(answer: unknown, assumed: AssumedBody): string | undefined {
	const problems = readFieldProblems(answer);
	const roles = rolesOf(problems, assumed.roles);
	const texts = problems.map((problem) => adviseOnField(problem, roles, assumed));
	const told = [...new Set(texts)].filter((text) => text !== '').join(' ');
	if (told === '') return undefined;
	const isOff = !assumed.areChosen;
	// The other settings come up with the switch.
	const first = isOff
		? `In the credential, turn on '${SETTINGS.switch}', and`
		: 'In the credential,';
	return told.replace(IN_CREDENTIAL, first).replaceAll(IN_CREDENTIAL, 'In the credential,');
}

const IN_CREDENTIAL = '(In the credential)';

/** Problems with what each stands for, as far as that is known. */
type Roles = Map<FieldProblem, { role: Role; isGuess?: boolean }>;

function rolesOf(problems: FieldProblem[], roles: readonly Role[]): Roles {
	const found: Roles = new Map();
	for (const problem of problems) {
		const role = roleOf(problem, roles);
		if (role) found.set(problem, { role });
	}
	const of = (kind: FieldProblem['kind']) => problems.filter((problem) => problem.kind === kind);
	const named = of('missing').map((problem) => found.get(problem)?.role);
	const [nameless, ...others] = of('missing').filter((problem) => !found.has(problem));
	const isLeft = (role: Role) => !named.includes(role);
	const refused = of('unknown').flatMap((problem) => found.get(problem)?.role ?? []);
	// One field is refused, and one is missing: so this is the name of that.
	const known = refused.filter(isLeft);
	const left = known.length > 0 ? known : roles.filter(isLeft);
	const [role] = left;
	if (nameless && others.length === 0 && role && left.length === 1) {
		found.set(nameless, { role, isGuess: known.length === 0 });
	}
	return found;
}

function adviseOnField(problem: FieldProblem, roles: Roles, { sent }: AssumedBody): string {
	const { kind, field } = problem;
	const name = plainText(field, MAX_NAME_CHARACTERS);
	const { role, isGuess } = roles.get(problem) ?? {};
	const inBody = "in 'Body' under 'Options'";
	if (kind === 'wrong') return adviseOnForm(problem, role);
	if (kind === 'missing') {
		if (!role) {
			return `The service expects '${name}', and its name does not tell what it stands for. If it is the contact, the template or the variables, enter it in the credential, under '${SETTINGS.switch}'. Otherwise add it ${inBody}.`;
		}
		if (role.field === field) {
			return `The service does not find '${name}', although it was sent. It may have to be in another object: '${role.setting}' in the credential can be a path, such as message.${name}.`;
		}
		const told = set(role.setting, quoted(suggestedName(field, role.field)));
		if (!isGuess) return `The service expects '${name}'. ${told}`;
		return `The service expects '${name}'. If it is the one that '${role.setting}' stands for: ${told} Otherwise add it ${inBody}.`;
	}
	const hasNewName = [...roles].some(
		([other, found]) => other.kind === 'missing' && found.role === role,
	);
	if (role && hasNewName) return '';
	if (role) {
		return `The service does not know '${name}'. ${set(role.setting, 'the name that it expects')}`;
	}
	return sent.includes(field)
		? `The service does not know '${name}'. Remove it in 'Body' under 'Options'.`
		: '';
}

const MAX_NAME_CHARACTERS = 80;

const quoted = (name: string) => `"${plainText(name, MAX_NAME_CHARACTERS)}"`;

function set(setting: string, value: string): string {
	return `${IN_CREDENTIAL} set '${setting}' to ${value}.`;
}

function adviseOnForm({ field, wants }: FieldProblem, role: Role | undefined): string {
	if (!role || !wants) return '';
	const { form } = role;
	const expects = (what: string) =>
		`The service expects ${what} in '${plainText(field, MAX_NAME_CHARACTERS)}'.`;
	if (form?.setting === SETTINGS.variablesAs) {
		const wanted = variablesForm(field !== role.field, wants);
		if (wanted === undefined || wanted === form.current) return '';
		return `${expects(VARIABLES_FORMS[wanted])} ${set(form.setting, `'${CHOICES[wanted]}'`)}`;
	}
	if (form && (wants === 'phone' || wants === 'id')) {
		const what = wants === 'phone' ? 'a phone number' : 'an ID';
		return `${expects(what)} ${set(form.setting, `'${CHOICES[wants]}'`)}`;
	}
	if (wants !== 'object') return '';
	return `${expects('an object')} ${set(role.setting, quoted(`${field}.${form ? 'id' : 'name'}`))}`;
}

const VARIABLES_FORMS = {
	object: 'an object',
	list: 'a list of values',
	pairs: 'a list of names and values',
};

/** How the variables are to be sent, from what is wanted of them or of one of them. */
function variablesForm(
	isOne: boolean,
	wants: FieldProblem['wants'],
): keyof typeof VARIABLES_FORMS | undefined {
	if (isOne) return wants === 'object' ? 'pairs' : wants === 'text' ? 'list' : undefined;
	return wants === 'list' || wants === 'object' ? wants : undefined;
}

/** What a field that was sent stands for, or, of a missing one, what its name tells. */
function roleOf({ field, kind }: FieldProblem, roles: readonly Role[]): Role | undefined {
	const sent = roles.find(
		(role) => field === role.field || (kind === 'wrong' && field.startsWith(`${role.field}.`)),
	);
	if (sent || kind !== 'missing') return sent;
	return roles.find(({ words }) => words.test(field));
}

/**
 * A name in the service's program, `TemplateName`, is another in JSON: mostly `template_name`, else
 * `templateName`.
 */
function suggestedName(field: string, current: string): string {
	if (!/^[A-Z]/.test(field)) return field;
	const snake = field.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
	const camel = field.replace(/(?<=^|\.)[A-Z]/g, (initial) => initial.toLowerCase());
	return current === snake ? camel : snake;
}
