import { path } from '../../api/urls';
import { getManyOf } from '../getMany';

export const getAll = getManyOf(path`/v1/tags`, {
	action: 'Get many tags',
	description: 'List the tags of the workspace',
});
