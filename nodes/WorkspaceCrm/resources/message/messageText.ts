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
	if (name === '') {
		throw new InputProblem(
			"'Message' has no place in the template",
			"No message was sent. Enter in 'Message Variable' which variable of the template stands for this text, or empty 'Message'.",
		);
	}
	if (value === '') {
		throw new InputProblem(
			`'Message' is empty, and so would be the variable ${shown(name)}`,
			"No message was sent. Fill in 'Message', or empty 'Message Variable'.",
		);
	}
	if (value.includes('[object Object]')) {
		throw new InputProblem(
			"'Message' holds an object, which nobody could read",
			`No message was sent. The text would be ${shown(value)}. In its expression, write the object as text: {{ JSON.stringify($json.order) }}.`,
		);
	}
	const { templateVariables, variables } = message;
	const isTaken =
		!isBlank(templateVariables.values[name]) || variables.some((other) => other.name === name);
	if (isTaken) {
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
 * Checks what the user gave in 'Body': the reply of somebody else would be taken for that of the contact,
 * and who approves has to see what.
 *
 * @throws InputProblem if the body goes to somebody else, or lacks the text
 */
export function assertInBody({ body, isAddressed }: PreparedMessage, text: string): void {
	const holdsText = JSON.stringify(body).includes(JSON.stringify(text));
	if (isAddressed && (text === '' || holdsText)) return;
	throw new InputProblem(
		isAddressed ? "'Body' leaves out the text of 'Message'" : NOT_ADDRESSED,
		`No message was sent. The node waits for the reply of 'Contact', to the question that it asked. ${TAKE_OUT}`,
	);
}

/**
 * Checks what the user gave in 'Body': the contact that is marked is the one that gets the message.
 *
 * @throws InputProblem if the body goes to somebody else
 */
export function assertAddressed({ isAddressed }: PreparedMessage): void {
	if (isAddressed) return;
	throw new InputProblem(
		NOT_ADDRESSED,
		`No message was sent. The campaign's memory is kept on 'Contact'. ${TAKE_OUT}`,
	);
}

const NOT_ADDRESSED = "'Body' does not send the message to the contact chosen in 'Contact'";
const TAKE_OUT =
	"Take the contact out of 'Body' under 'Options', and use the Body Mode 'Add to Default Body'. If the service calls the field of the contact by another name, set it in the credential under 'Other Field Names'.";
