import type { Picture } from '../picture';

export const picture: Picture = {
	name: 'contact-sync',
	async show(editor) {
		await editor.open('scheduledSync');
		await editor.startExecution();
		await editor.untilExecuted();
		await editor.openNode('Sync contacts');
	},
};
