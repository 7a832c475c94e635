/**
 * Parses a URL. Returns undefined if the text is not one. Does not use `URL.canParse`, which in Node 20 and 22
 * refuses names like `bücher.example` once it has been called some thousand times.
 *
 * @see https://github.com/AikidoSec/firewall-node/pull/1086
 */
export function parseUrl(text: string, base?: string): URL | undefined {
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}
