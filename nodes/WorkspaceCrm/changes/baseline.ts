import { isJsonObject } from '../domain/json';

/** How a reading of the list goes: from its first page to its last, over as many polls as it takes. */
export interface Reading {
	/** Where the next page begins. */
	offset: number;
	/** How many contacts were found, each counted once. */
	found: number;
	/** How many the service counted at first; undefined if it does not tell. */
	firstTotal?: number;
	/** How many it counted last. */
	lastTotal?: number;
	/** Whether the list lost contacts meanwhile: others may have slipped into pages already read. */
	hasShrunk: boolean;
	/** Whether it brought a contact that was not known. */
	foundNew: boolean;
}

/** What is known of one contact. */
interface Entry {
	/** From `packKept`. */
	kept: string;
	/** In how many complete readings in a row it was missing. */
	misses: number;
	/** Whether the present reading has found it. */
	isFound: boolean;
}

/** A baseline as n8n keeps it in static data. A type, because n8n takes no interface for it. */
export type StoredBaseline = {
	/** Milliseconds since 1970, and later than in the one that this one replaced. */
	storedAtMs: number;
	/** Digest of what is watched. */
	watched: string;
	isTakingStock: boolean;
	reading: Reading;
	/** All contacts; see `packEntry`. */
	contacts: string;
};

/**
 * What later readings are compared with: what was read last of each contact, and how far the present
 * reading is.
 */
export class Baseline {
	readonly entries = new Map<string, Entry>();

	reading = newReading();

	/** Whether contacts that are not known have been there all along. */
	isTakingStock = true;

	constructor(readonly watched: string) {}

	/** Begins the next reading. */
	beginReading(): void {
		this.reading = newReading();
		for (const entry of this.entries.values()) entry.isFound = false;
	}

	toStored(storedAtMs: number): StoredBaseline {
		const contacts = [...this.entries].map(([id, entry]) => packEntry(id, entry)).join(SEPARATOR);
		const { watched, isTakingStock } = this;
		return { storedAtMs, watched, isTakingStock, reading: { ...this.reading }, contacts };
	}

	static fromStored(stored: StoredBaseline): Baseline {
		const baseline = new Baseline(stored.watched);
		baseline.isTakingStock = stored.isTakingStock;
		baseline.reading = { ...stored.reading };
		if (stored.contacts === '') return baseline;
		for (const text of stored.contacts.split(SEPARATOR)) {
			const [id, entry] = unpackEntry(text);
			baseline.entries.set(id, entry);
		}
		return baseline;
	}
}

/** Whether a value is what `toStored` gave; undefined parts are lost on the way through JSON. */
export function isStoredBaseline(value: unknown): value is StoredBaseline {
	if (!isJsonObject(value) || !isJsonObject(value.reading)) return false;
	const { storedAtMs, watched, contacts, isTakingStock } = value;
	const areTexts = [watched, contacts].every((text) => typeof text === 'string');
	return areTexts && Number.isSafeInteger(storedAtMs) && typeof isTakingStock === 'boolean';
}

function newReading(): Reading {
	return { offset: 0, found: 0, hasShrunk: false, foundNew: false };
}

/** Neither of these needs to be escaped in JSON, and neither is in packed ids. */
const SEPARATOR = ';';
const ID_END = '.';

/** More misses than these change nothing. With the mark for "found", they fit into one digit. */
const MAX_MISSES = 9;

/** `<id>.<misses and found><kept>`. Of a UUID, the id takes 22 characters in place of 36. */
function packEntry(id: string, { kept, misses, isFound }: Entry): string {
	const mark = (Math.min(misses, MAX_MISSES) * 2 + (isFound ? 1 : 0)).toString(36);
	return `${packId(id)}${ID_END}${mark}${kept}`;
}

function unpackEntry(text: string): [string, Entry] {
	const end = text.indexOf(ID_END);
	const mark = parseInt(text.charAt(end + 1), 36);
	const entry = { kept: text.slice(end + 2), misses: mark >> 1, isFound: mark % 2 === 1 };
	return [unpackId(text.slice(0, end)), entry];
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const UUID_DASHES = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

/** Stands in front of an id that is no UUID in lower case. */
const OTHER_ID = '=';

function packId(id: string): string {
	if (UUID.test(id)) return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
	return OTHER_ID + Buffer.from(id, 'utf8').toString('base64url');
}

function unpackId(text: string): string {
	if (text.startsWith(OTHER_ID)) return Buffer.from(text.slice(1), 'base64url').toString('utf8');
	return Buffer.from(text, 'base64url').toString('hex').replace(UUID_DASHES, '$1-$2-$3-$4-$5');
}
