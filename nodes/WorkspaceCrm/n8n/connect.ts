import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { Api } from '../crm/client';
import { createRuntime, type ConnectionOptions, type Runtime } from '../crm/connection';
import { CREDENTIAL_TYPE, readCredential } from './credentials';
import { n8nTransport, type RequestContext } from './n8nTransport';
import { systemClock } from './systemClock';

/** Shared by all executions in this process, because the service limits the key, not the run. */
export const processRuntime = createRuntime(systemClock);

/** Its signal aborts, by default, when the user stops the execution. */
type Options = Omit<ConnectionOptions, 'warn' | 'runtime'> & { runtime?: Runtime };

/**
 * A client that sends its requests by n8n, with the credential of a node.
 *
 * @throws InputProblem if the credential's base URL or key cannot be used
 */
export async function createApi(context: RequestContext, options: Options): Promise<Api> {
	return connect(context, await readCredential(context, CREDENTIAL_TYPE), options);
}

/** The same, with a credential that has been read. */
export function connect(
	context: RequestContext,
	fields: ICredentialDataDecryptedObject,
	{ runtime = processRuntime, signal = stopSignal(context), ...limits }: Options,
): Api {
	const warn = (message: string) => {
		if ('addExecutionHints' in context) context.addExecutionHints({ message, type: 'warning' });
	};
	const options = { ...limits, runtime, signal, warn };
	return new Api(n8nTransport(context, fields), fields, options);
}

/** Aborts when the user stops the execution. */
function stopSignal(context: RequestContext): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}
