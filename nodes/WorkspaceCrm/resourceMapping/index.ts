import { readContactColumns } from './contactColumns';
import { orNotice } from './notice';
import { readVariableFields } from './templateVariables';

/** The columns of the resource mappers, under the names that their fields give. */
export const resourceMapping = {
	getContactColumns: orNotice(readContactColumns),
	getTemplateVariables: orNotice(readVariableFields),
};
