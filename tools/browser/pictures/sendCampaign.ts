import type { Picture } from '../picture';

export const picture: Picture = {
	name: 'send-campaign',
	// Later, it would have to wait for the rate limit that the others use up.
	isFirst: true,
	async show(editor) {
		await editor.open('sendCampaign');
		await editor.startExecution();
		await editor.untilExecuted();
		const details = await editor.openNode('Send to those that are left');
		await details.firstOutput();
	},
};
