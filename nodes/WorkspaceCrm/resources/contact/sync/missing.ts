/** Which contacts of the CRM are missing. Absence says something only of a whole list, read in one run. */
import type { IExecuteFunctions } from 'n8n-workflow';

import type { Contact } from '../../../crm/records';
import { InputProblem } from '../../../domain/problem';
import { isNumber, Subscribers } from '../../../domain/sameNumber';
import { named, several } from '../../../domain/text';
import { runIndexOf } from '../../../n8n/runs';
import { UnknownId } from './known';
import type { SyncResult } from './plan';
import type { Row } from './row';
import { nameRows, type SyncReport } from './summary';
import { MISSING_AT_MOST } from './syncFields';

/** @throws InputProblem if the workflow shows that this run may get only a part of the list */
export function assertWholeList(context: IExecuteFunctions, count: number): void {
	const [why, remedy] = partIn(context, count) ?? [];
	if (why === undefined) return;
	throw new InputProblem(
		`Missing contacts can only be listed from the whole list, read in one run, but ${why}`,
		`Nothing was sent. ${remedy}. Or set 'Missing Contacts' under 'Options' to 'Ignore'.`,
	);
}

function partIn(
	context: IExecuteFunctions,
	count: number,
): [why: string, remedy: string] | undefined {
	const own = context.getNode();
	if (own.executeOnce)
		return ["'Execute Once' takes only the first item", "Turn it off in the node's settings"];
	const behind = namesOf(context.getChildNodes(own.name));
	const before = context.getParentNodes(own.name, { includeNodeParameters: true });
	if (before.some(({ name }) => behind.includes(name)))
		return ['this node is in a loop', 'Put it behind the loop, where all items come together'];
	for (const { name, type, disabled, parameters } of [own, ...before]) {
		const isMerge = type === 'n8n-nodes-base.merge' && !disabled;
		const sources = sourcesOf(context, name);
		if (sources.length <= (isMerge ? Number(parameters?.numberInputs ?? 2) : 1)) continue;
		return [
			`'${name}' gets items from several nodes (${named(sources)}), and runs once for each`,
			`Put a Merge in front of '${name}', with an input for each of them`,
		];
	}
	if (count < context.getInputData().length)
		return ['some items have another credential', 'Use a node of its own for each credential'];
	if (runIndexOf(context) === '0') return undefined;
	return [
		'this is not its first run in this execution',
		'An earlier run may have listed contacts that are in this one. Bring all items together before this node',
	];
}

const namesOf = (nodes: ReadonlyArray<{ name: string }>) => nodes.map(({ name }) => name);

/** The nodes that give a node its items: no triggers, of which one starts an execution, and none behind itself. */
function sourcesOf(context: IExecuteFunctions, name: string): string[] {
	const behind = namesOf(context.getChildNodes(name));
	return namesOf(context.getParentNodes(name, { depth: 1 })).filter(
		(each) => !behind.includes(each) && context.getParentNodes(each).length > 0,
	);
}

/** Of few contacts, each is a large share. */
const MAY_ALWAYS_BE_MISSING = 3;

export interface Missing {
	listed: Contact[];
	/** What the summary says. */
	sentences: string[];
	/** Set if so many are missing that the list may have been cut. Then none is listed. */
	doubt?: string;
}

export function findMissing(run: SyncReport): Missing {
	const { rows, results, unmentioned, inCrm } = run;
	const { missingAtMost = MISSING_AT_MOST } = run.options;
	// A contact may have been saved under another form of its number.
	const done = new Set(results.map(({ record }) => record?.id));
	const others = unmentioned.filter(({ record }) => !done.has(record.id));
	if (others.length === 0) return { listed: [], sentences: [] };
	const unclear = rows.find((row, index) => mayBeAnyContact(row, results[index]));
	const notListed = (count: number, why: string) =>
		count > 0 ? [`${several(count, 'contact')} not listed as missing, because ${why}.`] : [];
	if (unclear) {
		const why = `it is unclear which contact ${nameRows([unclear])} means`;
		return { listed: [], sentences: notListed(others.length, why) };
	}
	const mayBeInInput = isIn(rows);
	const listed = others.filter((contact) => !mayBeInInput(contact));
	const sentences = notListed(
		others.length - listed.length,
		'their phone numbers are not international',
	);
	if (listed.length === 0) return { listed, sentences };
	const percent = Number(((100 * listed.length) / inCrm).toPrecision(2));
	const share = `${listed.length} of ${several(inCrm, 'contact')} in the CRM (${percent}%)`;
	if (listed.length <= Math.max(MAY_ALWAYS_BE_MISSING, (inCrm * missingAtMost) / 100))
		return { listed, sentences: [`${share} missing from the input.`, ...sentences] };
	const doubt = `${share} are not in the input: is the list whole?`;
	const remedy = `None is listed as missing, because 'Missing at Most (%)' under 'Options' is ${missingAtMost}. If the list is whole, raise it.`;
	return { listed: [], sentences: [`${doubt} ${remedy}`, ...sentences], doubt };
}

/** Finds the contacts that a row may mean. A number that could be anybody's may be any row's. */
function isIn(rows: readonly Row[]): (contact: Contact) => boolean {
	const inInput = new Subscribers();
	for (const { phone, otherReading } of rows) {
		inInput.add({ phone });
		inInput.add({ phone: otherReading });
	}
	return ({ phone }) => !isNumber(phone) || inInput.of({ phone }).length > 0;
}

/** Without a phone number, an item with no ID or a wrong one may mean any contact, unless nothing is in it. */
function mayBeAnyContact(row: Row, result: SyncResult | undefined): boolean {
	const { id, phone, isBlank, isEmpty } = row;
	const isFound = id !== undefined && !(result?.error instanceof UnknownId);
	return phone === '' && !isFound && !(isBlank && isEmpty);
}
