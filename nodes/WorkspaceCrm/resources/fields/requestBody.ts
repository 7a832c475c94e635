import { type JsonObject, mergeJson } from '../../domain/plainData';
import { checkJson } from '../../domain/typedValues';
import { InputProblem } from '../../domain/inputProblem';
import { choice, json } from '../../operations/fieldBuilders';
import type { Field } from '../../operations/fieldKinds';
import { optionsCollection } from '../../operations/sharedFields';

/** Lets the user change our assumption about a body that the API reference does not show. */
export const bodyOptionsField = {
	...optionsCollection,
	options: [
		json('Body', 'body', {
			description: 'JSON to send. Use it if the service expects other fields than this node sends.',
			mayBeNothing: true,
		}),
		choice('Body Mode', 'bodyMode', 'merge', {
			description: "What to do with the JSON in 'Body'",
			options: [
				{
					name: 'Add to Default Body',
					value: 'merge',
					description: 'The JSON overrides fields that are in both',
				},
				{ name: 'Replace Default Body', value: 'replace', description: 'Only the JSON is sent' },
			],
		}),
	],
} as const satisfies Field;

/**
 * The JSON in 'Body'. Undefined if there is none.
 *
 * @throws InputProblem if it cannot be sent as JSON, or is blank and is to replace the default body
 */
export function readBody({ body, bodyMode }: BodyOptions): JsonObject | undefined {
	const given = checkJson(body, 'Body');
	if (bodyMode !== 'replace' || Object.keys(given ?? {}).length > 0) return given;
	throw new InputProblem(
		"'Body' is blank, and 'Body Mode' says to send nothing else",
		"Nothing was sent. Fill in 'Body', or set 'Body Mode' to 'Add to Default Body'. If 'Body' holds an expression, it has no value for this item.",
	);
}

interface BodyOptions {
	body?: JsonObject;
	bodyMode?: 'merge' | 'replace';
}

/**
 * Applies 'Body' and 'Body Mode' to the default body of a request.
 *
 * @throws InputProblem as `readBody` does
 */
export function chooseBody(
	defaultBody: JsonObject,
	options: BodyOptions,
): { body: JsonObject; assumedFields: string[] } {
	const given = readBody(options) ?? {};
	const chosen = options.bodyMode === 'replace' ? given : mergeJson(defaultBody, given);
	return { body: chosen, assumedFields: Object.keys(chosen) };
}
