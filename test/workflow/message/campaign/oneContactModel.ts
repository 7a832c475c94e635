import type { Contact } from '../../../../tools/sandbox';
import { consentOf, places, sandbox, SUBSCRIBERS, type Scene } from '../../oneContactWorlds';
import { chosen } from '../../support';
import { campaign, runCampaign } from './campaignNode';

/** Sends one campaign twice, first by the numbers that people type, then by ID. */
export async function check({ ownerOf, contactsOf: of }: Scene) {
	const typed = places.flatMap((place) =>
		SUBSCRIBERS[place].typed.map((phone) => ({ ...of(place)[0], phone })),
	);
	const byPhone = { contactId: chosen('phone', '={{ $json.phone }}') };
	const states = consentOf();
	await runCampaign(sandbox, typed, { parameters: campaign({}, byPhone) });
	const all = places.flatMap(of);
	if (all.length > 0) await runCampaign(sandbox, all);
	const got = sandbox.store.sentMessages.map(({ contact_id }) => {
		const contact = sandbox.store.contacts.get(contact_id) as Contact;
		expect(contact.opt_in_status).toBe('confirmed');
		return ownerOf(contact);
	});
	expect(got).toEqual([...new Set(got)]);
	for (const place of places) {
		const [contact, ...more] = of(place);
		if (more.length === 0 && contact?.opt_in_status === 'confirmed') expect(got).toContain(place);
	}
	expect(consentOf()).toEqual(states);
}
