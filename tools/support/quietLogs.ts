/** n8n reads this as it is loaded, so this comes before any import of it. */
import { process } from './platform';

process.env.N8N_LOG_LEVEL = 'silent';
