/**
 * Whether a reply is one of the words, as a whole and in whatever case. A full stop or exclamation marks
 * at its end do not matter. Everything else is no approval: neither "yes, but" nor "yes...".
 */
export function isApproval(reply: string, words: readonly string[]): boolean {
	return words.map(plain).includes(plain(reply)) && plain(reply) !== '';
}

function plain(text: string): string {
	const letters = text.normalize('NFC').replace(/\s+/gu, ' ').trim();
	return letters
		.replace(/(?<![.!])(\.|!+)$/, '')
		.trim()
		.toLowerCase();
}
