import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

import type { Api } from '../crm/client';
import type { Runtime } from '../crm/connection';
import { connect } from '../n8n/connect';
import { CREDENTIAL_TYPE, isSameForAllItems, readCredential } from '../n8n/credentials';

/** The connection of one credential, and the input items that have it. Two may lead to the same workspace. */
export interface AccountItems {
	api: Api;
	/** Their indexes, in order. */
	items: number[];
}

export interface Accounts {
	/** In the order of their first items. */
	accounts: AccountItems[];
	/** Why the credential of an item cannot be used, by the index of the item. */
	problems: Map<number, object>;
}

/**
 * Connects to the workspace of each input item. A credential may hold expressions, which n8n resolves for each
 * item, so items may belong to different workspaces.
 *
 * @param items the indexes of those that are used
 * @throws the problem of the credential if no item has a usable one
 */
export async function connectItems(
	context: IExecuteFunctions,
	runtime: Runtime,
	items: readonly number[],
): Promise<Accounts> {
	const accounts = new AccountsByCredential(context, runtime);
	const problems = new Map<number, object>();
	for (const item of items) {
		try {
			const fields = await readCredential(context, CREDENTIAL_TYPE, item);
			const { items: same } = accounts.of(fields);
			same.push(item);
			if (item > 0 || items.length === 1) continue;
			if (!(await isSameForAllItems(context, CREDENTIAL_TYPE, fields))) continue;
			same.push(...items.slice(1));
			break;
		} catch (error) {
			problems.set(item, error as object);
		}
	}
	if (accounts.all.size === 0) for (const problem of problems.values()) throw problem;
	return { accounts: [...accounts.all.values()], problems };
}

/** The accounts found so far. */
class AccountsByCredential {
	readonly all = new Map<string, AccountItems>();
	private readonly byFields = new Map<string, AccountItems>();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly runtime: Runtime,
	) {}

	/** @throws InputProblem if the base URL or the key cannot be used */
	of(fields: ICredentialDataDecryptedObject): AccountItems {
		const key = JSON.stringify(fields);
		const account = this.byFields.get(key) ?? this.connect(fields);
		this.byFields.set(key, account);
		return account;
	}

	/** The base URL and the key can be written in several ways; the other fields change what is sent. */
	private connect(fields: ICredentialDataDecryptedObject): AccountItems {
		const api = connect(this.context, fields, { runtime: this.runtime });
		const others = { ...fields, baseUrl: '', apiKey: '' };
		const key = `${api.account.id} ${JSON.stringify(others)}`;
		const account = this.all.get(key) ?? { api, items: [] };
		this.all.set(key, account);
		return account;
	}
}
