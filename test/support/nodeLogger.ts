import { createRequire } from '../../tools/support/platform';

type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** The logger that n8n-core gives to all nodes. */
export const nodeLogger = () =>
	serviceOf<Record<LogLevel, (message: string) => void>>('@n8n/backend-common', 'Logger');

/** Whether n8n blocks requests to its own network. */
export const ssrfProtection = () =>
	serviceOf<{ enabled: boolean }>('@n8n/config', 'SsrfProtectionConfig');

function serviceOf<T>(from: string, name: string): T {
	const load = createRequire(require.resolve('n8n-core'));
	const { Container } = load('@n8n/di') as { Container: { get: (type: unknown) => unknown } };
	return Container.get((load(from) as Record<string, unknown>)[name]) as T;
}
