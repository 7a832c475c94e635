import { mergeJson, type JsonObject } from '../../domain/json';
import { checkJson } from '../../domain/values';
import type { Field } from '../../operations/fieldKinds';
import { optionsCollection } from '../../operations/sharedFields';

/** Lets the user change our assumption about a body that the API reference does not show. */
export const bodyOptionsField = {
	...optionsCollection,
	options: [
		{
			displayName: 'Body',
			name: 'body',
			type: 'json',
			default: '{}',
			description: 'JSON to send. Use it if the service expects other fields than this node sends.',
			mayBeNothing: true,
		},
		{
			displayName: 'Body Mode',
			name: 'bodyMode',
			type: 'options',
			default: 'merge',
			description: "What to do with the JSON in 'Body'",
			options: [
				{
					name: 'Add to Default Body',
					value: 'merge',
					description: 'The JSON overrides fields that are in both',
				},
				{ name: 'Replace Default Body', value: 'replace', description: 'Only the JSON is sent' },
			],
		},
	],
} as const satisfies Field;

/**
 * Applies 'Body' and 'Body Mode' to the default body of a request.
 *
 * @throws InputProblem if 'Body' cannot be sent as JSON
 */
export function chooseBody(
	defaultBody: JsonObject,
	{ body, bodyMode }: { body?: JsonObject; bodyMode?: 'merge' | 'replace' },
): { body: JsonObject; assumedFields: string[] } {
	const given = checkJson(body ?? {}, 'Body');
	const chosen = bodyMode === 'replace' ? given : mergeJson(defaultBody, given);
	return { body: chosen, assumedFields: Object.keys(chosen) };
}
