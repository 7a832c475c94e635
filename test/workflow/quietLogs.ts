/** n8n reads this as it is loaded, so this comes before any import of it. */
import { process } from '../support/platform';

process.env.N8N_LOG_LEVEL = 'silent';
