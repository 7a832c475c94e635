import { fs, path } from './platform';

/** A command writes the part of a page between these comments; the rest is written by hand. */
const markers = (name: string) => [`<!-- begin ${name} -->`, `<!-- end ${name} -->`];

/**
 * Replaces a generated part of a page.
 *
 * @returns the page with the new part
 */
export function withSection(file: string, name: string, text: string): string {
	const page = fs.readFileSync(file, 'utf8');
	const [begin, end] = markers(name);
	const from = page.indexOf(begin);
	const to = page.indexOf(end);
	if (from < 0 || to < from) {
		throw new Error(`${path.basename(file)} lacks the lines '${begin}' and '${end}'.`);
	}
	return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}
