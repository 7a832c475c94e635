import type { WireRecord } from '../../api/types';

/** A subscription as it may be stored and shown: without the secret, which lets its holder forge deliveries. */
export function withoutSigningSecret(subscription: WireRecord): WireRecord {
	const shown = { ...subscription };
	delete shown.secret;
	return shown;
}
