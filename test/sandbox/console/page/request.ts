/** Sends JSON to the sandbox. Fails with what the sandbox said. */
export async function request(method: 'POST' | 'DELETE', path: string, body?: object) {
	const response = await fetch(path, {
		method,
		headers: { 'content-type': 'application/json' },
		body: body && JSON.stringify(body),
	});
	if (response.ok) return;
	const { detail } = (await response.json()) as { detail: string };
	throw new Error(detail);
}
