import { endpoints } from '../crm/endpoints';
import { getManyOf } from './fields/getMany';

export const getEventTypes = getManyOf(endpoints.getEventTypes(), {
	action: 'Get many event types',
	description: 'List the types of events that the service can send',
});
