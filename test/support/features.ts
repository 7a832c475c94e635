import { repositoryFolder } from '../../tools/n8n/paths';
import { fs, path } from '../../tools/support/platform';

/**
 * The modules of this name in the folders of features below `folder`, in the order of their paths, such as
 * `contact/sync/mistakes.ts`. What a feature adds to a general test stands there, so that it goes with the feature.
 */
export function ofFeatures<Module extends object>(
	name: string,
	folder = 'test/workflow',
): Module[] {
	const whole = path.join(repositoryFolder, folder);
	return fs
		.readdirSync(whole, { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith(`${path.sep}${name}.ts`))
		.sort()
		.map((file) => jest.requireActual<Module>(path.join(whole, file)));
}
