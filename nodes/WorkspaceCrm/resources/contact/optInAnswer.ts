/** What the service made of 'Opt In'. The API reference does not say, so the status in its answer counts. */
import { readContact, type WireRecord } from '../../crm/records';
import { addTo } from '../../domain/groups';
import type { JsonObject } from '../../domain/plainData';
import { named, several } from '../../domain/text';

/** What was sent as 'Opt In', and the contact as the answer shows it. */
export interface OptInAnswer {
	optIn?: boolean;
	record?: JsonObject;
}

export function isStillConfirmed({ optIn, record }: OptInAnswer): boolean {
	return optIn === false && record?.opt_in_status === 'confirmed';
}

/** What follows "The contact", or "2 contacts", if the answer shows another status than was asked for. */
export function otherStatus(answer: OptInAnswer, is = 'is'): string | undefined {
	const { optIn, record = {} } = answer;
	const { optInStatus } = readContact(record as WireRecord);
	if (optIn === undefined || optInStatus === (optIn ? 'confirmed' : 'opted_out')) return undefined;
	if (isStillConfirmed(answer)) return `said No and ${is} still confirmed: campaigns reach them`;
	const shown = optInStatus === undefined ? 'does not show the status' : `shows '${optInStatus}'`;
	return `said ${optIn ? 'Yes' : 'No'}, and the CRM ${shown}`;
}

/** A sentence for each such status, with the names and numbers of the contacts: some have the same name. */
export function otherStatuses(answers: readonly OptInAnswer[]): string[] {
	const byStatus = new Map<string | undefined, OptInAnswer[]>();
	for (const answer of answers) addTo(byStatus, otherStatus(answer), answer);
	byStatus.delete(undefined);
	return Array.from(byStatus.values(), (same) => {
		const status = otherStatus(same[0] ?? {}, same.length === 1 ? 'is' : 'are');
		const names = same.map(
			({ record: { name, phone, id } = {} }) =>
				[name, phone].filter(Boolean).join(' ') || String(id),
		);
		return `${several(same.length, 'contact')} ${status} (${named(names)}).`;
	});
}
