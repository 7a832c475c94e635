/** Up to this many contacts, nothing that reads a list can be cheaper than just saving them. */
export const FEW_CONTACTS = 2;

/**
 * Where one page tells most about a workspace: in the middle of where the input would lie. The
 * newest contacts, and the oldest, are not like the others.
 */
export function sampleOffset(contacts: number, pageSize: number): number {
	return Math.floor(contacts / 2 / pageSize) * pageSize;
}

export interface Sample {
	/** How many contacts the input has. */
	contacts: number;
	/** How many the CRM has. */
	total: number;
	/** How many of those that were looked at are in the input. */
	matched: number;
	/** How many of these are as the input wants them. */
	unchanged: number;
}

/** What is taken for unchanged where the sample holds nothing of the input, and so tells nothing. */
const UNKNOWN_SHARE = 1 / 4;

/** Whether reading all contacts costs fewer requests than it saves by finding the unchanged ones. */
export function isReadingCheaper(sample: Sample, pageSize: number): boolean {
	const { contacts, total, matched, unchanged } = sample;
	const share = matched > 0 ? unchanged / matched : UNKNOWN_SHARE;
	return pageCount(total, pageSize) < share * Math.min(contacts, total);
}

export function pageCount(total: number, pageSize: number): number {
	return Math.ceil(total / pageSize);
}
