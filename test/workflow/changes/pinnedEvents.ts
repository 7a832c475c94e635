import type { Act, FirstEvent } from '../eventExamples';
import { contactOf, options } from '../eventExamples';
import { startTrigger } from '../triggerSetup';
import { PollHost, unlimitedRuntime } from './pollHost';

const entersSegment: Act = (_sandbox, contact) => contact.tags.push('vip');
const changes: Act = (_sandbox, contact) => (contact.name = 'Noah M. Williams');

const polled: FirstEvent = async ({ parameters }) => {
	const { sandbox } = await startTrigger({}, options);
	const host = new PollHost(sandbox, { parameters, runtime: unlimitedRuntime() });
	const contact = contactOf(sandbox);
	await host.publish();
	const act = parameters.watch === 'segment' ? entersSegment : changes;
	act(sandbox, contact);
	await host.poll();
	return host.events[0];
};

export const firstEvent = { workspaceCrmChangesTrigger: polled };
