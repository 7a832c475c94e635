/** n8n reads this while it loads, so this file must be imported before n8n. */
import { process } from './platform';

process.env.N8N_LOG_LEVEL = 'silent';
