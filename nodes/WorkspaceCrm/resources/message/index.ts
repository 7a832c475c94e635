import type { Resource } from '../../operations/define';
import { sendTemplate } from './sendTemplate';

export const message: Resource = {
	value: 'message',
	name: 'Message',
	operations: [sendTemplate],
};
