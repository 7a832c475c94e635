import { process } from '../support/platform';

/** Whether all pairs of operations and faults run, and not only some of each. */
export const isLongForm = process.env.FAULTS === 'long';
