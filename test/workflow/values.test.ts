import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { operationCases } from '../operationCases';
import { runNode } from '../../tools/engine/runNode';
import { process } from '../../tools/support/platform';
import { anyGiven, JAVASCRIPT, NO_TEXTS } from '../support/anyValue';
import { contact, leaves, type Leaf } from './leaves';
import { addContact, contactId, sent, useSandbox } from './support';

/** Whatever an expression gives, in whichever field: it arrives as meant, or is refused. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const numRuns = Number(process.env.WORLDS ?? 60);

let runs = 0;

async function runLeaf(leaf: Leaf, values: unknown[]) {
	sandbox.reset();
	// Without a name: in a sync, a number never replaces a text.
	addContact(sandbox, { id: contactId, phone: contact.phone, name: '', tags: ['vip'] });
	runs += 1;
	return await runNode(sandbox, {
		parameters: leaf.parameters('={{ $json.v }}'),
		items: values.map((v) => ({ ...contact, v })) as IDataObject[],
		onError: 'continueErrorOutput',
		executionId: `values-${runs}`,
	});
}

/** What n8n says of an expression, and what we quote: n8n itself writes some invalid dates as texts. */
const QUOTES = [
	/(n8n cannot evaluate the expression in '[^']*'): .*?(?=\. A function needs| \[item|$)/g,
	/would be "Invalid DateTime", because \{\{ \$json\.v \}\} gives "Invalid DateTime"/g,
];
const withoutQuotes = (text: unknown) =>
	QUOTES.reduce((left, quote) => left.replace(quote, '$1'), String(text));

/** All that leaves the node: to the service, to n8n and to people. */
function said({ json, failed, hints, error }: Awaited<ReturnType<typeof runLeaf>>): string {
	const ours = failed.map(({ error, errorDetails }) => [withoutQuotes(error), errorDetails]);
	const requests = sent(sandbox).map((each) => [decodeURIComponent(each.request), each]);
	const texts = [...hints, error?.message, error?.description].map(withoutQuotes);
	return JSON.stringify([json, ours, requests, texts.filter((text) => text !== 'undefined')]);
}

const isAlone = ({ use, field }: Leaf) =>
	operationCases[use].waits === true ||
	field.across === 'first' ||
	operationCases[use].isMerged === true;
const all = leaves.map((leaf) => [leaf.name, leaf] as const);

test.each(all)('%s: what is no value never gets through', async (_name, leaf) => {
	const values = NO_TEXTS.map(({ value }) => value);
	for (const group of isAlone(leaf) ? values.map((value) => [value]) : [values]) {
		const result = await runLeaf(leaf, group);
		expect(said(result)).not.toMatch(JAVASCRIPT);
		expect(result.error).toBeUndefined();
	}
});

/** Fields that take any text, and where it arrives. */
const FREE = [
	'name',
	'locale',
	'source',
	'consentProof',
	'search',
	'attributes',
	'attributes.plan',
];
const isFree = ({ name, field, use }: Leaf) =>
	!name.includes('Name and Value') &&
	(FREE.includes(field.name) || FREE.includes(field.displayName)) &&
	!use.startsWith('workspace');
const free = leaves.filter(isFree);

test('there are free fields in several operations', () => {
	expect(new Set(free.map(({ use }) => use)).size).toBeGreaterThan(2);
});

/** As the fields of a contact are sent: in one encoding, without what stands at their ends. */
const shown = (text: string) =>
	text
		.normalize('NFC')
		.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
		.trim();

test('a text, a number, a date and yes or no arrive in any field as meant', async () => {
	await fc.assert(
		fc.asyncProperty(fc.constantFrom(...free), anyGiven, async (leaf, given) => {
			const result = await runLeaf(leaf, [given.value]);
			const { failed } = result;
			expect(result.error).toBeUndefined();
			if (given.text === undefined) {
				expect(said(result)).not.toMatch(JAVASCRIPT);
				return;
			}
			expect([leaf.name, given.text, failed]).toEqual([leaf.name, given.text, []]);
			expect(textsSent()).toContainEqual(shown(given.text));
		}),
		{ numRuns },
	);
});

function textsSent(): string[] {
	const texts: string[] = [];
	JSON.stringify(sent(sandbox), (_, part: unknown) => {
		if (typeof part === 'string' || typeof part === 'number' || typeof part === 'boolean')
			texts.push(shown(String(part)));
		return part;
	});
	return texts;
}
