import { readContactColumns } from './mappingColumns';
import { emptyOnError } from './emptyOnError';
import { readVariableFields } from './templateVariables';

/** The columns of the resource mappers, under the names that their fields give. */
export const resourceMapping = {
	getContactColumns: emptyOnError(readContactColumns),
	getTemplateVariables: emptyOnError(readVariableFields),
};
