import { build, contacts, sandbox, type World } from '../../storedNumberWorlds';
import { chosen } from '../../support';
import { campaign, runCampaign } from './campaignNode';

export async function check(world: World) {
	const { own, phone, defaultCountry = '' } = build(world);
	const anyOut = own.some(({ opt_in_status }) => opt_in_status === 'opted_out');
	const ids = own.map(({ id }) => id);
	// Each message takes two requests, so most of a big workspace is in no list.
	const others = contacts()
		.filter(({ id }) => !ids.includes(id))
		.slice(0, 5);
	for (const other of others) other.opt_in_status = 'confirmed';
	const byPhone = campaign(
		{ defaultCountry },
		{ contactId: chosen('phone', '={{ $json.phone }}') },
	);
	const all = world.isReversed ? [...others, ...own].reverse() : [...own, ...others];
	const runs = [async () => await runCampaign(sandbox, all)];
	// Of two contacts, a search for one number may show only one.
	const [contact, ...more] = own;
	if (more.length === 0)
		runs.push(
			async () => await runCampaign(sandbox, [{ ...contact, phone }], { parameters: byPhone }),
		);
	else runs.push(async () => await runCampaign(sandbox, [...all].reverse()));
	for (const run of world.isReversed ? runs : runs.reverse()) await run();
	const got = sandbox.store.sentMessages.map(({ contact_id }) => contact_id);
	const toOwn = got.filter((id) => ids.includes(id));
	expect(got.length - toOwn.length).toBe(others.length);
	expect(toOwn.length).toBeLessThanOrEqual(1);
	if (anyOut) expect(toOwn).toEqual([]);
}
