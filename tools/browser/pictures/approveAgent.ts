import type { Picture } from '../picture';

export const picture: Picture = {
	name: 'approve-agent',
	async show(editor) {
		await editor.open('approveAgent');
		await editor.node('AI Agent').waitFor();
	},
};
