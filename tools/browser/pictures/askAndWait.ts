import { untilItWaits } from '../../n8n/waits';
import type { Picture } from '../picture';

export const picture: Picture = {
	name: 'ask-and-wait',
	async show(editor, bed) {
		await editor.open('askAndGoOn');
		await editor.startExecution();
		await untilItWaits(bed.rest);
		const details = await editor.openNode('Ask and wait');
		await details.whole.getByText('Execution will continue when the contact replies').waitFor();
	},
};
