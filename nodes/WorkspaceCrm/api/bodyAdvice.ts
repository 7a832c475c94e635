import { plainText } from '../domain/text';
import { CHOICES, SETTINGS, type EnrollFields } from './bodyFields';
import type { Role } from './bodyRoles';
import { readFieldProblems } from './fieldProblems';
import type { FieldProblem, Wanted } from './problemTexts';

/** A body that the API reference does not show. */
export interface AssumedBody {
	/** The names of the fields that were sent, each with all objects around it: `template.name`. */
	sent: string[];
	/** What can be set in the credential. None, if the user has replaced the body. */
	roles: readonly Role[];
	/** Whether the credential names the fields already. */
	areChosen: boolean;
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
	const names = sent.filter((name) => !name.includes('.'));
	const fields = names.length > 0 ? `with the fields: ${names.join(', ')}` : 'without fields';
	return `The API reference does not show the body of this request. The node sent it ${fields}. If the service expects other fields, name them in the credential, under '${SETTINGS.switch}', or enter them in 'Body' under 'Options'. If the service refuses the fields that the node sent, also set 'Body Mode' to 'Replace Default Body'.`;
}

/** What to set so that the service takes a body that it refused; undefined if it does not say enough. */
export function adviseOnBody(answer: unknown, assumed: AssumedBody): string | undefined {
	const problems = readFieldProblems(answer);
	const roles = rolesOf(problems, assumed);
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

function rolesOf(problems: FieldProblem[], { roles }: AssumedBody): Roles {
	const found: Roles = new Map();
	const of = (kind: FieldProblem['kind']) => problems.filter((problem) => problem.kind === kind);
	for (const problem of [...of('unknown'), ...of('wrong')]) {
		const role = roles.find(({ field }) => isAt(problem, field));
		if (role) found.set(problem, { role });
	}
	for (const problem of of('missing')) {
		const role =
			roles.find(({ field }) => field === problem.field) ??
			roles.find(({ names }) => names.test(problem.field));
		if (role) found.set(problem, { role });
	}
	const named = of('missing').map((problem) => found.get(problem)?.role);
	const nameless = of('missing').filter((problem) => !found.has(problem));
	const refused = of('unknown').flatMap((problem) => found.get(problem)?.role ?? []);
	// One field is refused, and one is missing: so this is the name of that.
	const left = refused.filter((role) => !named.includes(role));
	const [first, ...others] = nameless;
	const [role] = left;
	if (first && role && others.length === 0 && left.length === 1) {
		found.set(first, { role });
		return found;
	}
	for (const problem of nameless) {
		const guess = roles.find(({ maybe }) => maybe?.test(problem.field));
		if (guess && !named.includes(guess)) found.set(problem, { role: guess, isGuess: true });
	}
	return found;
}

/** Whether a problem is about a field that was sent, or about an element of the list in it. */
function isAt({ field, kind }: FieldProblem, sentField: string): boolean {
	if (field === sentField) return true;
	return (
		kind === 'wrong' && /^\.\d+$/.test(field.slice(sentField.length)) && field.startsWith(sentField)
	);
}

function adviseOnField(problem: FieldProblem, roles: Roles, assumed: AssumedBody): string {
	const { kind, field } = problem;
	const { role, isGuess } = roles.get(problem) ?? {};
	if (kind === 'wrong') return adviseOnForm(problem, role);
	if (kind === 'missing') {
		// Who refuses a name may list all that are right, also those that were sent.
		const isListed = [...roles.keys()].some((other) => other.kind === 'unknown');
		return adviseOnMissing(field, role, { isGuess: isGuess ?? false, isListed }, assumed);
	}

	const hasNewName = [...roles].some(
		([other, found]) => other.kind === 'missing' && found.role === role,
	);
	if (role && hasNewName) return '';
	const name = plainText(field, MAX_NAME_CHARACTERS);
	if (role) {
		return `The service does not know '${name}'. ${set(role.setting, 'the name that it expects')}`;
	}
	const isSent = assumed.sent.includes(field);
	return isSent ? `The service does not know '${name}'. Remove it in 'Body' under 'Options'.` : '';
}

function adviseOnMissing(
	field: string,
	role: Role | undefined,
	{ isGuess, isListed }: { isGuess: boolean; isListed: boolean },
	{ sent, roles }: AssumedBody,
): string {
	const expects = `The service expects '${plainText(field, MAX_NAME_CHARACTERS)}'.`;
	const inBody = "add it in 'Body' under 'Options'";
	// What is missing in the variables is a value.
	const ofVariables = roles.find(({ form }) => form?.setting === SETTINGS.variablesAs)?.field;
	if (role?.field !== field && field.startsWith(`${ofVariables}.`)) return '';
	if (role?.field === field) {
		if (isListed && sent.includes(field)) return '';
		if (!sent.includes(field)) return `${expects} It was not sent, because it has no value.`;
		return `${expects} It was sent, so it may belong inside another object. Ask for an example of a body, and put a dot between the names: message.${plainText(field, MAX_NAME_CHARACTERS)}.`;
	}
	if (role) {
		const told = set(role.setting, quoted(suggestedName(field, role.field)));
		if (!isGuess) return `${expects} ${told}`;
		return `${expects} If it is the one that '${role.setting}' stands for: ${told} Otherwise ${inBody}.`;
	}
	if (roles.length === 0) return `${expects} A${inBody.slice(1)}.`;
	return `${expects} Its name does not tell what it stands for. If a setting under '${SETTINGS.switch}' in the credential stands for it, enter it there. Otherwise ${inBody}.`;
}

const MAX_NAME_CHARACTERS = 80;

const quoted = (name: string) => `"${plainText(name, MAX_NAME_CHARACTERS)}"`;

function set(setting: string, value: string): string {
	return `${IN_CREDENTIAL} set '${setting}' to ${value}.`;
}

function adviseOnForm({ field, wants }: FieldProblem, role: Role | undefined): string {
	if (!role || !wants) return '';
	const { form } = role;
	const wanted = form && wantedForm(form, wants, field !== role.field);
	const expects = (what: string) =>
		`The service expects ${what} in '${plainText(field, MAX_NAME_CHARACTERS)}'.`;
	if (form && wanted && wanted !== form.current) {
		return `${expects(FORMS[wanted])} ${set(form.setting, `'${CHOICES[wanted]}'`)}`;
	}
	if (wants !== 'object' || field !== role.field || form?.setting === SETTINGS.variablesAs)
		return '';
	return `${expects('an object')} ${set(role.setting, quoted(`${field}.${form ? 'id' : 'name'}`))}`;
}

const FORMS = {
	id: 'an ID',
	phone: 'a phone number',
	object: 'an object',
	list: 'a list of values',
	pairs: 'a list of names and values',
};

/** In which form a value is to be sent, from what is wanted of it, or of an element of the list in it. */
function wantedForm(
	{ setting, current }: NonNullable<Role['form']>,
	wants: Wanted,
	isElement: boolean,
): keyof typeof FORMS | undefined {
	if (setting !== SETTINGS.variablesAs)
		return wants === 'phone' || wants === 'id' ? wants : undefined;
	if (!isElement)
		return wants === 'list' || wants === 'object' ? keepList(wants, current) : undefined;
	if (current === 'list' && wants === 'object') return 'pairs';
	return current === 'pairs' && wants === 'text' ? 'list' : undefined;
}

/** A list of names and values is a list, too. */
function keepList(wants: 'list' | 'object', current: keyof typeof CHOICES) {
	return wants === 'list' && current === 'pairs' ? undefined : wants;
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
