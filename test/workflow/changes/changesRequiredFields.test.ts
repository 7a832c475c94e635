import { WorkspaceCrmChangesTrigger } from '../../../nodes/WorkspaceCrm/WorkspaceCrmChangesTrigger.node';
import { blankable } from '../blankFields';
import { PollHost, unlimitedRuntime } from './pollHost';
import { useSandbox } from '../support';

const sandbox = useSandbox({ limiter: { kind: 'off' } });

test.each([
	{ watch: 'all', events: ['updated'], fields: ['name'] },
	{ watch: 'filter', events: ['updated'], fields: ['name'] },
	{
		watch: 'segment',
		events: ['entered'],
		segmentId: { __rl: true, mode: 'id', value: 'seg_vip' },
	},
])(
	'the Changes Trigger can be published without each field that is not marked: $watch',
	async (given) => {
		const node = new WorkspaceCrmChangesTrigger();
		for (const { name, isRequired, parameters } of blankable(node, given)) {
			const host = new PollHost(sandbox, { parameters, runtime: unlimitedRuntime() });
			const isRefused = await host.publish().then(
				() => false,
				() => true,
			);
			expect({ name, isRefused }).toEqual({ name, isRefused: isRequired });
		}
	},
);
