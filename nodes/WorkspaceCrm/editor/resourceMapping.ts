import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';

import { toTriggerError } from '../operations/nodeErrors';
import { readContactColumns } from './mappingColumns';
import { readVariableFields } from './templateVariables';

/** The columns of the resource mappers, under the names that their fields give. */
export const resourceMapping = {
	getContactColumns: emptyOnError(readContactColumns),
	getTemplateVariables: emptyOnError(readVariableFields),
};

/**
 * The fields of a resource mapper; or no fields, and in their place why there are none, because of
 * an error the editor says only that no columns were found.
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
