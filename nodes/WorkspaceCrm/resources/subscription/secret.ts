import type { IDataObject } from 'n8n-workflow';

/** A subscription as it may be stored and shown: without the secret, which lets its holder forge deliveries. */
export function withoutSigningSecret(subscription: IDataObject): IDataObject {
	const shown = { ...subscription };
	delete shown.secret;
	return shown;
}
