import { mistake } from '../../mistake';
import { campaign } from './campaignNode';

export const mistakes = [
	mistake('Send Campaign: no node in front gives the contacts', campaign(), { isUnclear: true }),
];
