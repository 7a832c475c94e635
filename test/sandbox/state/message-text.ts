import type { SentMessage } from '../records';
import type { Store } from './store';

/** A message as its contact reads it: the text of its template, with the variables filled in. */
export function messageText(store: Store, { template, variables }: SentMessage): string {
	const { body = '' } = store.templates.find(({ name }) => name === template) ?? {};
	const values = (variables ?? {}) as Record<string, unknown>;
	return body.replace(/\{\{(\w+)\}\}/g, (_all, name: string) => String(values[name] ?? ''));
}
