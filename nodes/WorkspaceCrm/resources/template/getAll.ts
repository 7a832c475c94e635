import { path } from '../../api/urls';
import { getManyOf } from '../getMany';

export const getAll = getManyOf(path`/v1/templates`, {
	action: 'Get many templates',
	description: 'List the approved message templates',
});
