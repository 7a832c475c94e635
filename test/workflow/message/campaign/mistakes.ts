import { mistake } from '../../mistake';
import { campaign } from './campaignNode';

export const mistakes = [
	mistake('Send Campaign: no node in front gives the contacts', campaign(), { isUnclear: true }),
	mistake('Send Campaign: the IDs are those of another system', campaign(), {
		items: [
			{ id: 17, name: 'Anna' },
			{ id: 18, name: 'Ben' },
		],
	}),
];
