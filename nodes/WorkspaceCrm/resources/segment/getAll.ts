import { path } from '../../api/urls';
import { getManyOf } from '../getMany';

export const getAll = getManyOf(path`/v1/segments`, {
	action: 'Get many segments',
	description: 'List the segments of the workspace',
});
