import type { INodePropertyCollection, INodePropertyOptions, INodeProperties } from 'n8n-workflow';

import { makeTour } from '../../tools/browser/tour';
import { fs, process } from '../../tools/support/platform';
import { nodes } from '../support/nodes';

const folder = 'docs/images';
/** What each picture shows, by its name. */
const labels = fs
	.readdirSync(folder)
	.filter((file) => file.endsWith('.json'))
	.sort()
	.map((file) => {
		const shown = JSON.parse(fs.readFileSync(`${folder}/${file}`, 'utf8')) as string[];
		return [file.replace('.json', ''), shown] as const;
	});
const TOUR = 'tour.webp';
const pictures = fs.readdirSync(folder).filter((file) => file.endsWith('.webp') && file !== TOUR);

type Described = INodeProperties | INodePropertyOptions | INodePropertyCollection;

/** What the editor writes beside a field, or in the node panel. */
function namesIn(described: Described): string[] {
	const { resourceMapper } = ('typeOptions' in described && described.typeOptions) || {};
	const own = [
		...['displayName', 'action'].map((key) => Reflect.get(described, key) as unknown),
		resourceMapper?.valuesLabel,
	];
	const inner = ['options', 'values'].flatMap(
		(key) => (Reflect.get(described, key) ?? []) as Described[],
	);
	return [...own.filter((name) => typeof name === 'string'), ...inner.flatMap(namesIn)];
}

const names = nodes.flatMap(({ description }) => description.properties.flatMap(namesIn));
const page = fs.readFileSync('tools/sandbox/console/page.html', 'utf8');
const buttons = [...page.matchAll(/<button[^>]*>([^<]*)</g)].map(([, text = '']) => text.trim());
/** n8n's own, above mapped columns and in every polling trigger. */
const ofN8n = ['Mapping Column Mode', 'Poll Times', 'Mode', 'Value', 'Unit'];

test('every picture has its labels on record', () => {
	expect(pictures.length).toBeGreaterThan(5);
	expect(labels.map(([name]) => name)).toEqual(
		pictures.map((file) => file.replace('.webp', '')).sort(),
	);
});

test('the moving picture is made of the others', () => {
	if (process.env.UPDATE_DOCS) fs.writeFileSync(`${folder}/${TOUR}`, makeTour(folder));
	expect(fs.readFileSync(`${folder}/${TOUR}`).equals(makeTour(folder))).toBe(true);
});

/** If this fails: `npm run build && npx tsx tools/browser/screenshots.ts`. */
test.each(labels)('what the picture of %s shows still exists', (_, shown) => {
	expect(shown.filter((label) => ![...names, ...buttons, ...ofN8n].includes(label))).toEqual([]);
});
