/**
 * Every regular expression of the shipped code: literals by the syntax tree, and those made by `new RegExp` by
 * watching the modules load. It cannot see those in the texts of n8n expressions, such as a node's subtitle, which
 * n8n runs in the editor.
 */
import ts from 'typescript';

import { repositoryFolder } from '../../tools/n8n/paths';
import { fs, path, runInThisContext } from '../../tools/support/platform';

export interface Pattern {
	/** Below the repository. */
	file: string;
	line: number;
	source: string;
	flags: string;
}

type Site = Pick<Pattern, 'file' | 'line'>;

const files = ['nodes', 'credentials'].flatMap((folder) =>
	fs
		.readdirSync(path.join(repositoryFolder, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.ts'))
		.map((name) => `${folder}/${name.split(path.sep).join('/')}`),
);

/** What the syntax tree of a file shows. */
export function readPatterns(file: string, text: string) {
	const literals: Pattern[] = [];
	/** Where patterns are made when the code runs. */
	const made: Site[] = [];
	/** Other ways to make one, which nobody could watch. */
	const hidden: Site[] = [];
	const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
	const visit = (node: ts.Node): void => {
		const line = tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
		if (ts.isRegularExpressionLiteral(node)) {
			const [, source, flags] = /^\/(.*)\/([a-z]*)$/su.exec(node.text) ?? [];
			literals.push({ file, line, source, flags });
		} else if (ts.isIdentifier(node) && node.text === 'RegExp' && !ts.isTypeNode(node.parent)) {
			const isMade = ts.isNewExpression(node.parent) && node.parent.expression === node;
			(isMade ? made : hidden).push({ file, line });
		} else if (ts.isCallExpression(node) && takesPattern(node)) {
			hidden.push({ file, line });
		}
		ts.forEachChild(node, visit);
	};
	visit(tree);
	return { literals, made, hidden };
}

/** These make a pattern of a text. */
function takesPattern({ expression, arguments: [given] }: ts.CallExpression): boolean {
	if (!ts.isPropertyAccessExpression(expression) || given === undefined) return false;
	const isMatch = ['match', 'matchAll', 'search'].includes(expression.name.text);
	return isMatch && (ts.isStringLiteralLike(given) || ts.isTemplateExpression(given));
}

const read = files.map((file) => ({
	file,
	...readPatterns(file, fs.readFileSync(path.join(repositoryFolder, file), 'utf8')),
}));

export const literals = read.flatMap((each) => each.literals);
export const hidden = read.flatMap((each) => each.hidden);

/** Loads the modules that make patterns, and returns what they made, and the places that made none. */
export function watchMade(): { patterns: Pattern[]; unseen: Site[] } {
	const makers = read.filter(({ made }) => made.length > 0);
	const patterns: Pattern[] = [];
	const realm = runInThisContext('globalThis') as { RegExp: RegExpConstructor };
	const original = realm.RegExp;
	realm.RegExp = class extends original {
		constructor(source: string | RegExp, flags?: string) {
			super(source, flags);
			const place = placeOf(new Error().stack ?? '');
			if (place) patterns.push({ ...place, source: this.source, flags: this.flags });
		}
	} as RegExpConstructor;
	try {
		jest.isolateModules(() => {
			for (const { file } of makers) jest.requireActual(path.join(repositoryFolder, file));
		});
	} finally {
		realm.RegExp = original;
	}
	const isSeen = (site: Site) =>
		patterns.some(({ file, line }) => file === site.file && line === site.line);
	return { patterns, unseen: makers.flatMap(({ made }) => made).filter((site) => !isSeen(site)) };
}

/** The place that called the constructor, if it is in the shipped code: packages make patterns, too. */
function placeOf(stack: string): Site | undefined {
	const [, , caller = ''] = stack.split('\n');
	const [, file = '', line] = /[( ]([^( ]+\.ts):(\d+):\d+/.exec(caller) ?? [];
	const name = path.relative(repositoryFolder, file).split(path.sep).join('/');
	return files.includes(name) ? { file: name, line: Number(line) } : undefined;
}
