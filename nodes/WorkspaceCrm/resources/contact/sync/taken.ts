import { isCampaignAttribute } from '../../../domain/campaignMark';
import { ATTRIBUTE, CONTACT_COLUMNS, ID_COLUMN } from '../../../domain/contactColumns';
import { countryName, isoCountryOf, readCountry } from '../../../domain/phone';
import { quoted } from '../../../domain/inputProblem';
import { labelText, named, several } from '../../../domain/text';
import type { Others, Row } from './row';

interface Taken extends Pick<Others, 'headings' | 'asAttributes'> {
	rows: readonly Row[];
}

/** What was taken for what, so that people see a wrong guess: the columns, the words, and the country of numbers. */
export function takenIn(run: Taken): string[] {
	const { rows } = run;
	const countries = new Set(rows.flatMap(({ country }) => country ?? []));
	const columns = [...columnsIn(run), ...attributesIn(run)].join(', ');
	const parts = [
		...(columns === '' ? [] : [columns]),
		...(countries.size > 0 ? [`Default Country: ${named([...countries].map(countryOf))}`] : []),
		...counted(
			rows.flatMap(({ landlineOf }) => landlineOf ?? []),
			(count, country) =>
				`${count} ${count === 1 ? 'number is a landline' : 'numbers are landlines'} of ${country}`,
		),
		...counted(
			rows.flatMap(({ blankCells = [] }) => blankCells),
			(count, cell) => `${several(count, 'cell')} '${labelText(cell)}' read as blank`,
		),
	];
	return parts.length > 0 ? [`${parts.join('. ')}.`] : [];
}

function counted(values: readonly string[], said: (count: number, value: string) => string) {
	const counts = new Map<string, number>();
	for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
	return Array.from(counts, ([value, count]) => said(count, value));
}

function columnsIn({ rows, headings }: Taken): string[] {
	return [...CONTACT_COLUMNS, ID_COLUMN].flatMap(({ id, displayName }) => {
		const names = headings.get(id);
		const words = id === 'opt_in' ? wordsIn(rows) : '';
		if (!names && words === '') return [];
		return [`${displayName}${names ? `: ${headingsIn(names)}` : ''}${words && ` (${words})`}`];
	});
}

function attributesIn({ headings, asAttributes }: Taken): string[] {
	const names = [...headings].flatMap(([id, all]) => {
		const isOwn = id.startsWith('attributes') && !isCampaignAttribute(id.slice(ATTRIBUTE.length));
		return isOwn ? [...all].filter((name) => !asAttributes.has(name)) : [];
	});
	return names.length > 0 ? [`Attributes: ${headingsIn(names)}`] : [];
}

/** With marks that the sentence has, too, in quotes. */
function headingsIn(names: Iterable<string>): string {
	return named(Array.from(names, (name) => (/[,.]/.test(name) ? quoted(name) : name)));
}

/** Such as "yes: Ja, no: Nein". */
function wordsIn(rows: readonly Row[]): string {
	const parts = [true, false].flatMap((answer) => {
		const same = rows.filter(({ fields }) => fields.opt_in === answer);
		const words = named(same.flatMap(({ optInWord }) => optInWord ?? []));
		return words === '' ? [] : [`${answer ? 'yes' : 'no'}: ${words}`];
	});
	return parts.join(', ');
}

function countryOf(typed: string): string {
	const plan = readCountry(typed);
	const code = isoCountryOf(plan);
	return code ? countryName(code) : String(plan);
}
