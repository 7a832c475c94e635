import { fs, path } from '../../tools/support/platform';

/** The result of a search for secrets in what n8n has stored. */
export interface Search {
	secrets: number;
	files: number;
	bytes: number;
	/** Where a secret was found; never the secret itself. */
	found: string[];
}

/** Packages that n8n loads; they are not what it stores. */
const skipped = ['node_modules'];

/** Searches all that n8n has stored in its folder, and further texts, for secrets. */
export function searchSecrets(
	folder: string,
	texts: Record<string, string>,
	secrets: readonly string[],
): Search {
	const search: Search = { secrets: secrets.length, files: 0, bytes: 0, found: [] };
	const look = (name: string, content: Buffer) => {
		search.bytes += content.length;
		if (secrets.some((secret) => content.includes(secret))) search.found.push(name);
	};
	for (const file of filesIn(folder)) {
		search.files += 1;
		look(path.relative(folder, file), fs.readFileSync(file));
	}
	for (const [name, text] of Object.entries(texts)) look(name, Buffer.from(text));
	return search;
}

function filesIn(folder: string): string[] {
	return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
		if (skipped.includes(entry.name)) return [];
		const place = path.join(folder, entry.name);
		if (entry.isDirectory()) return filesIn(place);
		return entry.isFile() ? [place] : [];
	});
}
