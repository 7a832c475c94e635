import { shownFor } from '../../../../support/hints';

test('hint first at the node that gives a campaign its contacts', () => {
	expect(shownFor({ resource: 'message', operation: 'sendCampaign' })).toEqual([
		expect.stringMatching(
			/^The confirmed contacts of the input get the message, each once: put Segment > Get Contacts/,
		),
	]);
});
