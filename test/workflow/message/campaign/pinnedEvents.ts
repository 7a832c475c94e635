import type { Act } from '../../eventExamples';

export const happens: Record<string, Act> = {
	'ask-many'({ emit }, contact) {
		contact.tags.push('asked: tasting');
		emit.inboundMessage(contact.id, 'Yes, with pleasure');
	},
};
