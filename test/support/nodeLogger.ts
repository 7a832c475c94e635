import { createRequire } from './platform';

/** The logger that n8n-core gives to all nodes. */
export function nodeLogger(): { warn: (message: string) => void } {
	const load = createRequire(require.resolve('n8n-core'));
	const { Container } = load('@n8n/di') as { Container: { get: (type: unknown) => unknown } };
	const { Logger } = load('@n8n/backend-common') as { Logger: unknown };
	return Container.get(Logger) as { warn: (message: string) => void };
}
