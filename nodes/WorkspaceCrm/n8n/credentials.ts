import {
	ExpressionError,
	type ICredentialDataDecryptedObject,
	type ICredentialsHelper,
	type IExecuteFunctions,
} from 'n8n-workflow';

import { NO_CREDENTIAL_VALUE } from '../crm/urls';
import { InputProblem } from '../domain/inputProblem';

export const CREDENTIAL_TYPE = 'workspaceCrmApi';

/**
 * Reads the credential of a node, for an item if there is one.
 *
 * @throws InputProblem if n8n cannot work out an expression in it
 */
export async function readCredential(
	context: Pick<IExecuteFunctions, 'getCredentials'>,
	type: string,
	item?: number,
): Promise<ICredentialDataDecryptedObject> {
	const reading = context.getCredentials<ICredentialDataDecryptedObject>(type, item);
	return await reading.catch((error: unknown) => {
		if (!(error instanceof ExpressionError)) throw error;
		throw new InputProblem(
			'An expression in the credential has no value here',
			`n8n says: "${error.message}". ${NO_CREDENTIAL_VALUE}`,
		);
	});
}

/**
 * Whether the credential of a node has the same values for every item. n8n resolves the expressions in it for
 * each item, and no public function says whether it has any (`getDecrypted` in n8n/credentials-helper, seen in
 * 2.41). So this reads what n8n has stored: if the item got just these values, and none is an expression, so does
 * every other item.
 *
 * @param given the values that n8n resolved for one item
 * @returns false if that is not certain
 */
export async function isSameForAllItems(
	context: IExecuteFunctions,
	type: string,
	given: ICredentialDataDecryptedObject,
): Promise<boolean> {
	try {
		const stored = await storedValues(context, type);
		const defaults = defaultsOf(context, type);
		return Object.entries(given).every(([name, value]) => {
			const plain = stored[name] ?? defaults.get(name);
			return plain === value && !(typeof value === 'string' && value.startsWith('='));
		});
	} catch {
		return false;
	}
}

async function storedValues(context: IExecuteFunctions, type: string) {
	const { additionalData } = context as Partial<{
		additionalData: { credentialsHelper: ICredentialsHelper };
	}>;
	const saved = context.getNode().credentials?.[type];
	if (!additionalData || !saved) throw new TypeError('n8n does not show the stored credential');
	return await (await additionalData.credentialsHelper.getCredentials(saved, type)).getData();
}

/** n8n fills in the defaults of fields that are not stored. */
function defaultsOf(context: IExecuteFunctions, type: string): Map<string, unknown> {
	const fields = context.getCredentialsProperties(type);
	return new Map(fields.map((field) => [field.name, field.default]));
}
