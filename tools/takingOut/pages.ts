import { fs, path } from '../support/platform';
import type { Copy } from './copy';

/** As GitHub makes them from headings. */
const anchorsOf = (page: string) =>
	[...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
		heading
			.toLowerCase()
			.replace(/[^\p{L}\p{N}_\- ]/gu, '')
			.trim()
			.replaceAll(' ', '-'),
	);

const LINK = /!?\[((?:[^\][]|\[[^\]]*\]\([^)]*\))*)\]\(([^)\s]+)\)/g;

/**
 * Removes what leads to pages, examples and tests that are gone: table rows and bullets with no other link to a
 * file, and links elsewhere, whose text stays.
 *
 * @returns how many lines changed
 */
export async function removeDeadLinks(copy: Copy): Promise<number> {
	const pages = (await copy.files()).filter((file) => file.endsWith('.md'));
	let changed = 0;
	for (const page of pages) {
		const isDead = (link: string) => {
			if (/^(https?|mailto):/.test(link)) return false;
			const [file, anchor] = link.split('#');
			const target = file === '' ? page : path.join(path.dirname(page), file);
			if (!fs.existsSync(path.join(copy.folder, target))) return true;
			return Boolean(anchor) && !anchorsOf(copy.read(target)).includes(anchor);
		};
		const blocks = copy.read(page).split(/\n(?=\||- |#|\n)/);
		const kept = blocks.flatMap((block) => {
			const links = [...block.matchAll(LINK)].map(([, , link]) => link);
			if (!links.some(isDead)) return [block];
			changed += 1;
			if (/^(\||- )/.test(block) && links.every(isDead)) return [];
			return [
				block.replace(LINK, (whole, text: string, link: string) =>
					isDead(link) ? (whole.startsWith('!') ? '' : text) : whole,
				),
			];
		});
		copy.write(page, kept.join('\n'));
	}
	return changed;
}
