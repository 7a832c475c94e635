import { endpoints } from '../crm/endpoints';
import { getManyOf } from './fields/getMany';

export const getTemplates = getManyOf(endpoints.getTemplates(), {
	action: 'Get many templates',
	description: 'List the approved message templates',
});
