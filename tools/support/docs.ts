import { fs, path } from './platform';

/** A command writes the part of a page between these comments; the rest is written by hand. */
const markers = (name: string) => [`<!-- begin ${name} -->`, `<!-- end ${name} -->`];

/**
 * Replaces a generated part of a page.
 *
 * @returns the page with the new part
 */
export function withSection(file: string, name: string, text: string): string {
	const { before, after } = split(file, name);
	return `${before}\n\n${text}\n\n${after}`;
}

/** The generated part of a page. */
export const sectionOf = (file: string, name: string) => split(file, name).text;

function split(file: string, name: string) {
	const page = fs.readFileSync(file, 'utf8');
	const [begin, end] = markers(name);
	const from = page.indexOf(begin) + begin.length;
	const to = page.indexOf(end);
	if (from < begin.length || to < from) {
		throw new Error(`${path.basename(file)} lacks the lines '${begin}' and '${end}'.`);
	}
	return { before: page.slice(0, from), text: page.slice(from, to), after: page.slice(to) };
}
