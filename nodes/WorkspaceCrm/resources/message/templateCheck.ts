import type { Api } from '../../crm/client';
import { CrmError } from '../../crm/crmError';
import { endpoints } from '../../crm/endpoints';
import { Templates, type Template } from '../../crm/templates';
import { InputProblem, quoted } from '../../domain/inputProblem';
import { MINUTE_MS } from '../../domain/time';
import type { PrepareFor, ReadMessage } from './templateMessage';

/** A template rarely changes, and its text must be approved anew then. */
const REMEMBERED_MS = 5 * MINUTE_MS;

/**
 * Checks the variables of one message against the template that the service has. That takes a request, unless the
 * list was read in the last minutes.
 *
 * @throws InputProblem for blank variables, or a template that the service does not list; CrmError if the list
 * cannot be read. Nothing was sent then
 */
export async function checkMessage(api: Api, message: ReadMessage): Promise<PrepareFor> {
	const { account, clock } = api;
	const { list, untilMs = -Infinity } = account.templates ?? {};
	let known = untilMs > clock.elapsedMs() ? list : undefined;
	if (message.mustBeFilled && !known?.get(message.template)) {
		known = await readTemplates(api);
		account.templates = { list: known, untilMs: clock.elapsedMs() + REMEMBERED_MS };
	}
	return checkIn(known, message);
}

/**
 * The rule for every message: what the editor saved may be of another template, or of an earlier one.
 *
 * @param templates undefined if no message must be checked
 * @throws InputProblem for blank variables, or a template that is not in the list
 */
export function checkIn(templates: Templates | undefined, message: ReadMessage): PrepareFor {
	const isChecked = templates && message.mustBeFilled;
	return message.check(isChecked ? listed(templates, message.template) : undefined);
}

/** Reads the list of templates. @throws CrmError if that is not possible, with the way around it */
export async function readTemplates(api: Api): Promise<Templates> {
	const records = await api.list(endpoints.getTemplates()).catch(cannotCheck);
	return new Templates(records);
}

/**
 * A template that is not listed cannot be checked, and the service sends approved templates only: those in its
 * list.
 *
 * @throws InputProblem if it is not in the list
 */
function listed(templates: Templates, chosen: string): Template {
	const template = templates.get(chosen);
	if (template) return template;
	throw new InputProblem(
		`The service lists no template ${quoted(chosen)}`,
		"No message was sent. The template may be mistyped, paused or not approved, or belong to another workspace. Choose a template 'From List'.",
		'No message was sent. Use the name of a template that the service lists.',
	);
}

const UNCHECKED = "To send without this check, turn on 'Send Blank Variables' under 'Options'.";

/** In doubt, nothing is sent. */
function cannotCheck(error: unknown): never {
	if (!(error instanceof CrmError)) throw error;
	const why =
		'No message was sent: without the list of templates, it is not known whether a variable is blank.';
	throw error.withContext(error.failure.endsRun ? why : `${why} ${UNCHECKED}`);
}
