import type { SendFields } from '../../api/bodyFields';
import { checkJson, isBlank, type JsonObject } from '../../domain/json';
import { InputProblem, shown } from '../../domain/problem';
import type { MappedColumns, NameValue } from '../../operations/fieldKinds';

interface ChosenVariables {
	templateVariables: MappedColumns;
	variables: NameValue[];
	options: { sendBlankVariables?: boolean; body?: JsonObject; bodyMode?: string };
}

/**
 * The variables of a message, by name. If the service takes them as a list, in their places: those that
 * the editor shows first, in the template's order, with empty text for a blank one.
 *
 * @throws InputProblem for variables that are blank, or that have no place; a message with a gap in it
 * cannot be taken back
 */
export function readVariables(
	chosen: ChosenVariables,
	form: SendFields['variablesAs'],
): JsonObject {
	const { templateVariables, variables, options } = chosen;
	const { schema, values: mapped } = templateVariables;
	const given = Object.entries(mapped).filter(([, value]) => isGiven(value));
	const others = variables.map(({ name, value }) => [name, value] as const);
	const values = checkJson<JsonObject>(Object.fromEntries([...given, ...others]), 'Variables');
	// Then they are the user's own, in whatever form the service takes them.
	const { body = {}, bodyMode, sendBlankVariables } = options;
	if (bodyMode === 'replace' || 'variables' in body) return values;

	const shownIds = schema.filter(({ removed }) => !removed).map(({ id }) => id);
	if (!sendBlankVariables) checkFilled(schema, shownIds, values);
	if (form !== 'list' || Object.keys(values).length === 0) return values;
	const places = shownIds.map((id) => [id, ''] as const);
	return checkPlaces(Object.fromEntries([...places, ...Object.entries(values)]));
}

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== '';

function checkFilled(schema: MappedColumns['schema'], ids: string[], values: JsonObject): void {
	const valueOf = (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined);
	const blank = schema
		.filter(({ id }) => ids.includes(id) && isBlank(valueOf(id)))
		.map(({ id, displayName = id }) => shown(displayName));
	if (blank.length === 0) return;
	const areBlank =
		blank.length === 1
			? 'A variable of the template is blank'
			: `${blank.length} variables of the template are blank`;
	throw new InputProblem(
		`${areBlank}: ${blank.join(', ')}`,
		"No message was sent. Fill in the fields under 'Variables', and check that this item has the values that they read. If the template has no such variable, remove its field. To send the message without them, turn on 'Send Blank Variables' under 'Options'.",
	);
}

const AS_LIST =
	'No message was sent. The credential says that the service takes the variables as a list, in which each has its place.';

/** Variables called by numbers have the place of their number; the others, that in which they are given. */
function checkPlaces(values: JsonObject): JsonObject {
	const names = Object.keys(values);
	const numbers = names.filter((name) => /^\d+$/.test(name));
	if (numbers.length === 0) return values;
	if (numbers.length < names.length) {
		throw new InputProblem(
			'Some variables are called by numbers, and others by names',
			`${AS_LIST} Call all of them by number.`,
		);
	}
	const gap = numbers.findIndex((name, index) => Number(name) !== index + 1);
	if (gap < 0) return values;
	throw new InputProblem(
		`Variable ${gap + 1} of the template has no value`,
		`${AS_LIST} Give each variable a value, from 1 on.`,
	);
}
