import { fs, path, process } from '../support/platform';
import { isAlive } from './installLock';

/** A new, empty user folder for one n8n. Also removes those whose owner was killed. */
export async function createUserFolder(hostFolder: string): Promise<string> {
	const parent = path.join(hostFolder, 'data');
	await fs.promises.mkdir(parent, { recursive: true });
	for (const name of await fs.promises.readdir(parent)) {
		const owner = Number(name.split('-')[1]);
		if (!isAlive(owner)) await removeUserFolder(path.join(parent, name));
	}
	return await fs.promises.mkdtemp(path.join(parent, `run-${process.pid}-`));
}

/** Removes a user folder, also when a dying n8n is still writing to it. */
export async function removeUserFolder(folder: string): Promise<void> {
	await fs.promises.rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
