import { fileURLToPath, path } from '../support/platform';

const here = path.dirname(fileURLToPath(import.meta.url));

/** The root of this repository. */
export const repositoryFolder = path.resolve(here, '../..');

/** The committed description of the pinned n8n: package.json, lock file and npm settings. */
export const hostDescriptionFolder = path.join(here, 'host');

/**
 * Where the pinned n8n is installed. Its name begins with a dot because the build copies every
 * picture below the other folders into `dist`, and n8n brings thousands.
 */
export const defaultHostFolder = path.join(repositoryFolder, '.n8n-host');

/** Where the demo keeps n8n's data, such as the workflows that a person builds. */
export const demoFolder = path.join(repositoryFolder, '.n8n-demo');

/** The importable workflows. */
export const examplesFolder = path.join(repositoryFolder, 'examples');
