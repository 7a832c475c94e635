import type { SendFields } from '../../api/bodyFields';
import { checkJson, isBlank, valueAt, type JsonObject } from '../../domain/json';
import { InputProblem, shown } from '../../domain/problem';
import type { MappedColumns, NameValue } from '../../operations/fieldKinds';

interface ChosenVariables {
	templateVariables: MappedColumns;
	variables: NameValue[];
	options: { sendBlankVariables?: boolean; body?: JsonObject; bodyMode?: string };
}

/**
 * The variables of a message, by name. If the service takes them as a list, only those called by
 * numbers have a place: in it, a blank one is an empty text.
 *
 * @throws InputProblem for variables that are blank, or that have no place; a message with a gap in it
 * cannot be taken back
 */
export function readVariables(
	chosen: ChosenVariables,
	{ variablesAs, variablesField }: Pick<SendFields, 'variablesAs' | 'variablesField'>,
): JsonObject {
	const { templateVariables, variables, options } = chosen;
	const { schema, values: mapped } = templateVariables;
	const given = Object.entries(mapped).filter(([, value]) => isGiven(value));
	const others = variables.map(({ name, value }) => [name, value] as const);
	const values = checkJson<JsonObject>(Object.fromEntries([...given, ...others]), 'Variables');
	// Then they are the user's own, in whatever form the service takes them.
	const { body = {}, bodyMode, sendBlankVariables } = options;
	if (bodyMode === 'replace' || valueAt(body, variablesField) !== undefined) return values;

	// A field that was removed is still a variable of the template.
	if (!sendBlankVariables) checkFilled(schema, values);
	if (variablesAs !== 'list') return values;
	const places = schema.map(({ id }) => [id, ''] as const);
	return checkPlaces(Object.fromEntries([...places, ...Object.entries(values)]));
}

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== '';

function checkFilled(schema: MappedColumns['schema'], values: JsonObject): void {
	const valueOf = (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined);
	const blank = schema
		.filter(({ id }) => isBlank(valueOf(id)))
		.map(({ id, displayName = id }) => shown(displayName));
	if (blank.length === 0) return;
	const areBlank =
		blank.length === 1
			? 'A variable of the template is blank'
			: `${blank.length} variables of the template are blank`;
	throw new InputProblem(
		`${areBlank}: ${blank.join(', ')}`,
		"No message was sent. Fill in the fields under 'Variables', and check that this item has the values that they read. If the template has no such variable any more, refresh the list in the menu beside 'Variables'. To send the message without them, turn on 'Send Blank Variables' under 'Options'.",
	);
}

/** @throws InputProblem for the first variable that has no place in a list, or place that has no variable */
function checkPlaces(values: JsonObject): JsonObject {
	// Names that are numbers come first, in their order.
	const names = Object.keys(values);
	const place = names.findIndex((name, index) => name !== String(index + 1)) + 1;
	if (place === 0) return values;
	const name = names[place - 1] ?? '';
	throw new InputProblem(
		/^[1-9]\d*$/.test(name)
			? `Variable ${place} of the template has no value`
			: `The variable ${shown(name)} has no place in a list`,
		"No message was sent. The credential says that the service takes the variables as a list, in which each has its place. Use numbers as their names, and give each a value, from 1 on. Or give the body in 'Body' under 'Options'.",
	);
}
