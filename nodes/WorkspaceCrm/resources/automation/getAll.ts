import { path } from '../../api/urls';
import { getManyOf } from '../getMany';

export const getAll = getManyOf(path`/v1/automations`, {
	action: 'Get many automations',
	description: 'List the automations of the workspace',
});
