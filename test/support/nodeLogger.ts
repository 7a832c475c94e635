import { createRequire } from './platform';

type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** The logger that n8n-core gives to all nodes. */
export function nodeLogger(): Record<LogLevel, (message: string) => void> {
	const load = createRequire(require.resolve('n8n-core'));
	const { Container } = load('@n8n/di') as { Container: { get: (type: unknown) => unknown } };
	const { Logger } = load('@n8n/backend-common') as { Logger: unknown };
	return Container.get(Logger) as ReturnType<typeof nodeLogger>;
}
