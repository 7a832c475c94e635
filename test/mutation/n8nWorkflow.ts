/** The one thing that the mutated modules need of n8n-workflow, which takes long to load as a whole. */
export { delay as sleep } from '../support/platform';
