import { automatic } from '../../../workflow/contact/sync/syncNode';

/** Rows of the test that items reach their own workspaces. */
export const inWorkspaces = [['Sync', automatic({ otherColumns: 'ignore' })]];
