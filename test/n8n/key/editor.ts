import type { N8nServer } from '../n8nServer';

/** The session of an editor, by which n8n knows whom to tell of a run. */
export const EDITOR = 'editor-of-the-test';

/** Hears what n8n tells an open editor. */
export interface Editor {
	readonly heard: string;
	close(): void;
}

/** n8n has to be set to `N8N_PUSH_BACKEND=sse`. */
export async function openEditor({ url, rest }: N8nServer): Promise<Editor> {
	const end = new AbortController();
	const response = await fetch(`${url}/rest/push?pushRef=${EDITOR}`, {
		headers: { cookie: rest.cookie, origin: url },
		signal: end.signal,
	});
	let heard = '';
	const listen = async () => {
		for await (const chunk of response.body ?? []) heard += Buffer.from(chunk).toString('utf8');
	};
	// It ends when it is closed, or with n8n.
	void listen().catch(() => {});
	return {
		get heard() {
			return heard;
		},
		close: () => end.abort(),
	};
}
