import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';

import { toTriggerError } from '../operations/nodeErrors';
import { readContactColumns } from './mappingColumns';
import { readVariableFields } from './templateVariables';

/** The columns of resource mappers, by the method names in their fields. */
export const resourceMapping = {
	getContactColumns: emptyOnError(readContactColumns),
	getTemplateVariables: emptyOnError(readVariableFields),
};

/**
 * If the fields cannot be read, returns none and the reason as a notice: for an error, the editor would only
 * say that no columns were found.
 */
function emptyOnError(
	readFields: (context: ILoadOptionsFunctions) => Promise<ResourceMapperFields>,
) {
	return async function (this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
		return await readFields(this).catch((error: unknown) => ({
			fields: [],
			emptyFieldsNotice: toTriggerError(this.getNode(), error).message,
		}));
	};
}
