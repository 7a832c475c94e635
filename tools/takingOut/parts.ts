import ts from 'typescript';

import { path } from '../support/platform';
import type { Copy } from './copy';

/**
 * Removes parts of a file by their names, and declarations and imports that nothing uses then. A part is a test, by its title; a
 * declaration; a property; or the element of a list, by its first text: `contact sync` of `['contact sync', …]`.
 * A name may end with `*`.
 */
export function removeParts(file: string, names: string[], copy: Copy): void {
	for (const name of names) {
		const { text } = parse(copy, file);
		const ranges = rangesOf(name, parse(copy, file));
		if (ranges.length === 0) throw new Error(`${file} has no '${name}'`);
		const kept = ranges.reduceRight(
			(rest, [from, to]) => rest.slice(0, from) + rest.slice(to),
			text,
		);
		copy.write(file, kept);
	}
	if (!file.endsWith('.ts')) return;
	removeUnused(file, copy);
	removeUnusedImports(file, copy);
}

const parse = (copy: Copy, file: string) =>
	ts.createSourceFile(file, copy.read(file), ts.ScriptTarget.Latest, true);

type Range = [from: number, to: number];

function rangesOf(name: string, source: ts.SourceFile): Range[] {
	const ranges: Range[] = [];
	const isNamed = (given = '') =>
		name.endsWith('*') ? given.startsWith(name.slice(0, -1)) : given === name;
	const visit = (node: ts.Node) => {
		const list = listOf(node);
		const isStatement = ts.isStatement(node) && isNamed(statementName(node));
		if (isStatement) ranges.push([node.pos, node.end]);
		else if (list && isNamed(elementName(node))) {
			const next = list[list.indexOf(node) + 1] as ts.Node | undefined;
			ranges.push([node.pos, next ? next.pos : list.end]);
		} else node.forEachChild(visit);
	};
	visit(source);
	return ranges;
}

function statementName(node: ts.Statement): string | undefined {
	if (ts.isVariableStatement(node)) return node.declarationList.declarations[0].name.getText();
	if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) return node.name?.text;
	if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return node.name.text;
	if (!ts.isExpressionStatement(node) || !ts.isCallExpression(node.expression)) return undefined;
	return firstText(node.expression);
}

function listOf({ parent }: ts.Node): (readonly ts.Node[] & ts.TextRange) | undefined {
	if (!parent) return undefined;
	if (ts.isArrayLiteralExpression(parent)) return parent.elements;
	if (ts.isObjectLiteralExpression(parent)) return parent.properties;
	return undefined;
}

function elementName(node: ts.Node): string | undefined {
	if (ts.isObjectLiteralElement(node)) {
		const { name } = node;
		return name && (ts.isStringLiteral(name) ? name.text : name.getText());
	}
	if (ts.isSpreadElement(node)) return elementName(node.expression);
	if (ts.isIdentifier(node) || ts.isStringLiteral(node)) return node.text;
	if (ts.isArrayLiteralExpression(node)) return firstText({ arguments: node.elements });
	if (ts.isCallExpression(node)) return firstText(node);
	return ts.isObjectLiteralExpression(node) ? firstValue(node) : undefined;
}

function firstText(call: { arguments: readonly ts.Expression[] }): string | undefined {
	const [first] = call.arguments;
	return first && ts.isStringLiteralLike(first) ? first.text : undefined;
}

/** `send` of `{ name: 'send', … }`, and of `{ ...send, … }`. */
function firstValue({ properties: [first] }: ts.ObjectLiteralExpression): string | undefined {
	if (first && ts.isSpreadAssignment(first)) return elementName(first.expression);
	if (!first || !ts.isPropertyAssignment(first)) return undefined;
	return ts.isStringLiteralLike(first.initializer) ? first.initializer.text : undefined;
}

/** Removes top-level declarations of a file that are neither exported nor named anywhere else in it. */
function removeUnused(file: string, copy: Copy): void {
	const source = parse(copy, file);
	const uses: string[] = [];
	const visit = (node: ts.Node) => {
		if (ts.isIdentifier(node) && !isKey(node)) uses.push(node.text);
		node.forEachChild(visit);
	};
	visit(source);
	const unused = source.statements.find((statement) => {
		if (ts.isExpressionStatement(statement) || /^export /.test(statement.getText())) return false;
		const name = statementName(statement);
		return name !== undefined && uses.filter((use) => use === name).length === 1;
	});
	if (!unused) return;
	const text = copy.read(file);
	copy.write(file, text.slice(0, unused.pos) + text.slice(unused.end));
	removeUnused(file, copy);
}

/** Whether it names a part of an object, and no variable. */
const isKey = (node: ts.Identifier) =>
	(ts.isPropertyAssignment(node.parent) && node.parent.name === node) ||
	(ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) ||
	(ts.isPropertySignature(node.parent) && node.parent.name === node);

function removeUnusedImports(file: string, copy: Copy): void {
	const fileName = path.join(copy.folder, file);
	const service = ts.createLanguageService({
		getCompilationSettings: () => ({ noResolve: true, types: [] }),
		getScriptFileNames: () => [fileName],
		getScriptVersion: () => '1',
		getScriptSnapshot: (name) => ts.ScriptSnapshot.fromString(ts.sys.readFile(name) ?? ''),
		getCurrentDirectory: () => copy.folder,
		getDefaultLibFileName: ts.getDefaultLibFilePath,
		readFile: ts.sys.readFile,
		fileExists: ts.sys.fileExists,
	});
	const mode = ts.OrganizeImportsMode.RemoveUnused;
	const changes = service
		.organizeImports({ type: 'file', fileName, mode }, {}, {})
		.flatMap(({ textChanges }) => textChanges);
	const text = changes.reduceRight(
		(rest, { span, newText }) =>
			rest.slice(0, span.start) + newText + rest.slice(span.start + span.length),
		copy.read(file),
	);
	copy.write(file, text);
}
