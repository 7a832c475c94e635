const timeFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

export const timeOf = (atMs: number) => timeFormat.format(atMs);

/** The time when it is of today, else the date. */
export function momentOf(iso: string): string {
	const date = new Date(iso);
	const isToday = date.toDateString() === new Date().toDateString();
	return isToday ? timeFormat.format(date) : dateFormat.format(date);
}

export function durationOf(ms: number): string {
	return ms < 10_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`;
}

/** JSON with line breaks; the text itself when it is none, as JSON that was shortened. */
export function prettyJson(text: string): string {
	try {
		return JSON.stringify(JSON.parse(text), null, 2);
	} catch {
		return text;
	}
}

/** `1 contact`, `2 contacts`. */
export const count = (number: number, noun: string) =>
	`${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
