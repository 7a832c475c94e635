import { path } from '../../api/urls';
import { getManyOf } from '../getMany';

export const getAll = getManyOf(path`/v1/events`, {
	action: 'Get many event types',
	description: 'List the types of events that the service can send',
});
