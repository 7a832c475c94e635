import type { IDataObject } from 'n8n-workflow';

/** A subscription as it may be stored and shown: whoever has the secret can forge deliveries. */
export function withoutSigningSecret(subscription: IDataObject): IDataObject {
	const shown = { ...subscription };
	delete shown.secret;
	return shown;
}
