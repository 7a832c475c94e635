import { getContactColumns } from './contactColumns';
import { getTemplateVariables } from './templateVariables';

/** The columns of the resource mappers, under the names that their fields give. */
export const resourceMapping = { getContactColumns, getTemplateVariables };
