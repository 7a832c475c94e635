/**
 * Whether a reply is one of the words, as a whole and in whatever case. A full stop or an exclamation
 * mark at its end does not matter. Everything else is no approval: "yes, but" least of all.
 */
export function isApproval(reply: string, words: readonly string[]): boolean {
	return words.map(plain).includes(plain(reply)) && plain(reply) !== '';
}

function plain(text: string): string {
	const letters = text.normalize('NFKC').replace(/\s+/gu, ' ').trim();
	return letters
		.replace(/[.!]+$/, '')
		.trim()
		.toLowerCase();
}
