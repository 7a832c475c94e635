/** Which request is next for a contact. */
import type { Contact } from '../../../crm/records';
import { isAddedTag, isConsent, isRemovedTag, pick, type Changes } from './changes';

/** A request and what it changes. */
export interface Step {
	/**
	 * `readOptOuts` reads the list of those who have opted out, `look` the contact. `save` goes by phone, and is the
	 * only one that may create a contact, or send consent; the others go by ID.
	 */
	kind: 'readOptOuts' | 'look' | 'save' | 'change' | 'addTag' | 'removeTag';
	changes: Changes;
}

/** What differs between a contact and the input. */
interface Plan {
	/** The contact, once it is known. */
	current?: Pick<Contact, 'record'>;
	changes: Changes;
}

/** What was sent, and which of the changes to a known contact are wanted: others may have made the rest meanwhile. */
export interface Progress {
	done: Changes;
	planned: ReadonlySet<string>;
}

/** What is certain enough to send consent. */
export interface Knowledge {
	/** Whether the list of those who have opted out is needed, and was not read, or too long ago. */
	needsOptOuts: boolean;
	/** Whether the number of a contact that is not known can be no other one's. */
	isCertain: boolean;
	/** Whether the contact was just seen by itself. */
	isFresh: boolean;
	/** Whether an answer shows the contact after its last change. */
	isShown: boolean;
}

const NOTHING: Changes = new Map();

/**
 * The next request: consent is last, once the contact was just seen, except for a proof that cannot be told from the
 * changes that it proves. Then come the tags to remove, unless the CRM shows added ones under other names.
 *
 * @returns undefined if nothing is left to do
 */
export function nextStep(
	{ current, changes }: Plan,
	{ done, planned }: Progress,
	knowledge: Knowledge,
): Step | undefined {
	if (!current) return firstStep(changes, knowledge);
	const left = pick(changes, (name) => planned.has(name) && !done.has(name));
	if (left.size === 0 && knowledge.isShown) return undefined;
	const consent = pick(left, isConsent);
	const look: Step = { kind: 'look', changes: NOTHING };
	if (consent.size > 0 && knowledge.needsOptOuts) return { kind: 'readOptOuts', changes: NOTHING };
	if (consent.size > 0 && !consent.has('opt_in')) {
		// A proof cannot be read back: if the other fields were saved before it, the next run would not send it.
		return knowledge.isFresh ? { kind: 'save', changes: pick(left, isForSave) } : look;
	}
	const [tag] = pick(left, isAddedTag);
	if (tag) return { kind: 'addTag', changes: new Map([tag]) };
	const fields = pick(left, (name) => !isConsent(name) && !isRemovedTag(name));
	if (fields.size > 0) return { kind: 'change', changes: fields };
	if (!knowledge.isShown) return look;
	if (consent.size > 0) return knowledge.isFresh ? { kind: 'save', changes: consent } : look;
	const [extra] = pick(left, isRemovedTag);
	return extra && !hasOtherTagNames(changes, done)
		? { kind: 'removeTag', changes: new Map([extra]) }
		: undefined;
}

/** For a contact that is not known: its answer shows it, and whether it was created. */
function firstStep(changes: Changes, { needsOptOuts, isCertain }: Knowledge): Step {
	const optsIn = changes.has('opt_in');
	if (optsIn && needsOptOuts) return { kind: 'readOptOuts', changes: NOTHING };
	const isSent = (name: string) => isForSave(name) && (isCertain || !optsIn || !isConsent(name));
	return { kind: 'save', changes: pick(changes, isSent) };
}

/** The request by phone has no locale, and removes no tags. */
function isForSave(name: string): boolean {
	return name !== 'locale' && !isRemovedTag(name);
}

/** Whether the contact still lacks tags that were added. Then one to remove may be one of them. */
function hasOtherTagNames(changes: Changes, done: Changes): boolean {
	return [...changes.keys()].some((name) => isAddedTag(name) && done.has(name));
}
