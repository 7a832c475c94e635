import type { Resource } from '../operations/define';
import { automation } from './automation';
import { contact } from './contact';
import { eventType } from './eventType';
import { message } from './message';
import { segment } from './segment';
import { subscription } from './subscription';
import { tag } from './tag';
import { template } from './template';
import { workspace } from './workspace';

/** Everything the action node can do, in the order that the editor shows. */
export const resources: readonly Resource[] = [
	automation,
	contact,
	eventType,
	message,
	segment,
	subscription,
	tag,
	template,
	workspace,
];
