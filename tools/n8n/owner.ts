import { randomBytes } from 'node:crypto';
import { createRequire } from '../support/platform';
import type { Host } from './installHost';
import type { Owner } from './n8nRestClient';

interface Bcrypt {
	hashSync(password: string, rounds: number): string;
}

/** The owner of an n8n of ours, with a password that nobody can guess. */
export const createOwner = (): Owner => ({
	email: 'demo@example.com',
	firstName: 'Demo',
	lastName: 'Owner',
	// n8n asks for a capital letter and a digit
	password: `Demo1-${randomBytes(12).toString('base64url')}`,
});

/**
 * Lets the pinned n8n take its owner from its environment. So nobody else can become its owner while
 * it starts, and kept data gets the new password.
 */
export function ownerEnvironment(host: Host, owner: Owner): Record<string, string> {
	const bcrypt = createRequire(host.n8nPath)('bcryptjs') as Bcrypt;
	return {
		N8N_INSTANCE_OWNER_MANAGED_BY_ENV: 'true',
		N8N_INSTANCE_OWNER_EMAIL: owner.email,
		N8N_INSTANCE_OWNER_FIRST_NAME: owner.firstName,
		N8N_INSTANCE_OWNER_LAST_NAME: owner.lastName,
		N8N_INSTANCE_OWNER_PASSWORD_HASH: bcrypt.hashSync(owner.password, 10),
	};
}
