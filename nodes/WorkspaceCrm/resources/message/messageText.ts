import { InputProblem, shown } from '../../domain/problem';
import { isBlank } from '../../domain/json';
import type { PreparedMessage, TemplateMessage } from './templateMessage';

interface WithMessage extends TemplateMessage {
	message: string;
	messageVariable: string;
}

/**
 * The message with its free text as the value of a variable, as templates have no other place for it.
 * Chat platforms refuse variables with line breaks or runs of blanks, so they become single blanks.
 *
 * @throws InputProblem for a text without a variable, a variable without a text, or a variable that
 * has a value already
 */
export function withMessage<M extends WithMessage>(message: M): M {
	const name = message.messageVariable.trim();
	const value = message.message.replace(/\s+/gu, ' ').trim();
	if (name === '' && value === '') return message;
	if (name === '' || value === '') {
		throw new InputProblem(
			name === '' ? "'Message' has no place in the template" : "'Message' is empty",
			"No message was sent. Fill in both 'Message' and 'Message Variable', which names the variable of the template that stands for this text, or empty both.",
		);
	}
	if (value.includes('[object Object]')) {
		throw new InputProblem(
			"'Message' holds an object, which nobody could read",
			`No message was sent. The text would be ${shown(value)}. In its expression, write the object as text: {{ JSON.stringify($json.order) }}.`,
		);
	}
	const { templateVariables, variables } = message;
	const others = variables.map((other) => other.name);
	if (others.includes(name) || !isBlank(templateVariables.values[name])) {
		throw new InputProblem(
			`The variable ${shown(name)} has two values`,
			"No message was sent. It has one in 'Variables' or 'Other Variables', and 'Message Variable' gives it the text of 'Message'. Empty one of them.",
		);
	}
	return { ...message, variables: [...variables, { name, value }] };
}

/** The value of the variable that stands for the message; empty if there is none. */
export function textOf({ messageVariable, variables }: WithMessage): string {
	const found = variables.find(({ name }) => name === messageVariable.trim());
	return typeof found?.value === 'string' ? found.value : '';
}

/**
 * Checks that a 'Body' of the user's goes to the contact: whose reply counts, or who is marked.
 *
 * @throws InputProblem if it goes to somebody else
 */
export function assertAddressed({ isAddressed }: PreparedMessage): void {
	if (!isAddressed) throw bodyProblem(NOT_ADDRESSED);
}

/**
 * The same, and that it holds a text: who approves has to see what.
 *
 * @throws InputProblem if the body goes to somebody else, or lacks the text
 */
export function assertInBody(message: PreparedMessage, text: string): void {
	assertAddressed(message);
	if (text === '' || JSON.stringify(message.body).includes(JSON.stringify(text))) return;
	throw bodyProblem("'Body' leaves out the text of 'Message'");
}

const bodyProblem = (problem: string) =>
	new InputProblem(problem, `No message was sent. ${TAKE_OUT}`);

const NOT_ADDRESSED = "'Body' does not send the message to the contact chosen in 'Contact'";
const TAKE_OUT =
	"Take the contact out of 'Body' under 'Options', and use the Body Mode 'Add to Default Body'. If the service calls the field of the contact by another name, set it in the credential under 'Other Field Names'.";
