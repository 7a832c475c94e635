/** Each example that starts on an event has one pinned, so that it can be tried without a live event. */
import { format, resolveConfig } from 'prettier';
import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';

import { EVENT_TYPES } from '../../nodes/WorkspaceCrm/crm/records';
import type { Sandbox } from '../../tools/sandbox';
import { withSection } from '../../tools/support/docs';
import { fs, path, process } from '../../tools/support/platform';
import { ofFeatures } from '../support/features';
import { clock, contactOf, options, type Act, type FirstEvent } from './eventExamples';
import { jumpingClock } from './support';
import { startTrigger, stopTriggers } from './triggerSetup';

afterEach(stopTriggers);

/** What happens in the CRM, by example, as the pinned event tells it. */
const happens: Record<string, Act> = {
	'answer-after-pause': ({ emit }, { id }) => emit.inboundMessage(id, 'Hello, one question'),
	'answer-with-agent': ({ emit }, { id }) => emit.inboundMessage(id, 'When do you open on Sunday?'),
	'each-event-once': ({ emit }, { id }) => emit.submitForm(id, 'appointment', { day: 'Friday' }),
	'form-to-attributes': ({ emit }, { id }) =>
		emit.submitForm(id, 'appointment', { day: 'Tuesday', guests: 2 }),
	'hand-over-to-person': ({ emit }, { id }) =>
		emit.inboundMessage(id, 'Can I talk to a person, please?'),
	'opt-out-to-other-system': ({ emit }, { id }) => emit.optOut(id),
	'tag-on-keyword': ({ emit }, { id }) => emit.inboundMessage(id, 'What is the price?'),
	'tag-on-message': ({ emit }, { id }) => emit.inboundMessage(id, 'Do you have a free table?'),
	'welcome-confirmed-contact': ({ emit }, { id }) => emit.inboundMessage(id, 'Hello'),
};
const fromFeatures = ofFeatures<{
	happens?: Record<string, Act>;
	firstEvent?: Record<string, FirstEvent>;
}>('pinnedEvents');
for (const feature of fromFeatures) Object.assign(happens, feature.happens);

interface Example {
	nodes: INode[];
	pinData?: Record<string, INodeExecutionData[]>;
}

const PAGE = 'docs/trigger.md';
const fileOf = (name: string) => path.join('examples', `${name}.json`);
const read = (name: string) => JSON.parse(fs.readFileSync(fileOf(name), 'utf8')) as Example;
const triggerOf = ({ nodes }: Example) =>
	nodes.find(({ type }) => /^n8n-nodes-workspace-crm\..+Trigger$/.test(type));

const names = fs.readdirSync('examples').map((file) => path.parse(file).name);
const startingOnEvents = names.filter((name) => name !== 'README' && triggerOf(read(name)));

test.each(startingOnEvents)('%s has a pinned event like those of its trigger', async (name) => {
	const example = read(name);
	const trigger = triggerOf(example) as INode;
	const item = await firstEvent[trigger.type.split('.')[1]](trigger, happens[name]);
	const expected = { [trigger.name]: [{ json: withoutChance(item) }] };
	// Nodes of other services are pinned, too.
	const others = Object.entries(example.pinData ?? {}).filter(([node]) => node !== trigger.name);
	const whole = { ...expected, ...Object.fromEntries(others) };
	if (process.env.UPDATE_DOCS) await pin(name, whole);
	expect(read(name).pinData).toEqual(whole);
});

/** What happens in the CRM, by the event that follows. */
const causes: Record<string, Act> = {
	'message.received': happens['tag-on-message'],
	'form.submitted': happens['form-to-attributes'],
	'contact.opted_out': happens['opt-out-to-other-system'],
	'contact.created': async (sandbox) =>
		await post(sandbox, '/contacts', { phone: '+13127654321', name: 'Mia Brown', source: 'shop' }),
	'tag.added': async (sandbox, { id }) =>
		await post(sandbox, `/contacts/${id}/tags`, { name: 'vip' }),
};

async function post({ url, apiKey }: Sandbox, route: string, body: object): Promise<void> {
	const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
	const answer = await fetch(`${url}/v1${route}`, {
		method: 'POST',
		headers,
		body: JSON.stringify(body),
	});
	if (!answer.ok) throw new Error(await answer.text());
}

test('docs/trigger.md has a sample of each event', async () => {
	const samples: string[] = [];
	for (const { name, value } of EVENT_TYPES) {
		const trigger = { parameters: { events: [value] } } as unknown as INode;
		const sample = withoutChance(await delivered(trigger, causes[value]));
		// One field a line, as most of the lines are short then.
		const fields = Object.entries(sample).map(([key, field]) =>
			[key, field].map((each) => JSON.stringify(each)).join(':'),
		);
		samples.push([`**${name}**`, `\`\`\`json\n{\n${fields.join(',\n')}\n}\n\`\`\``].join('\n\n'));
	}
	const text = ['<!-- prettier-ignore-start -->', ...samples, '<!-- prettier-ignore-end -->'];
	const page = withSection(PAGE, 'samples', text.join('\n\n'));
	if (process.env.UPDATE_DOCS) fs.writeFileSync(PAGE, page);
	expect(fs.readFileSync(PAGE, 'utf8')).toBe(page);
});

const delivered: FirstEvent = async ({ parameters }, act) => {
	const hostClock = { ...jumpingClock(), now: clock.now };
	const { sandbox, host } = await startTrigger({ parameters, clock: hostClock }, options);
	await host.publish();
	await act(sandbox, contactOf(sandbox));
	await sandbox.settled();
	return host.started[0][0].json;
};

/** What each trigger starts with. */
const firstEvent: Record<string, FirstEvent> = { workspaceCrmTrigger: delivered };
for (const feature of fromFeatures) Object.assign(firstEvent, feature.firstEvent);

/** Without the random IDs that the sandbox gives to events, and to a new contact. */
function withoutChance(json: IDataObject): IDataObject {
	const text = JSON.stringify(json)
		.replace(/"evt_[^"]+"/g, '"evt_example"')
		.replace(/"delivery_id":"[^"]+"/g, '"delivery_id":"dlv_example"')
		.replace(/"wamid\.[^"]+"/g, '"wamid.example"')
		.replace(/"[^"]+"(?=,"phone":"\+13127654321")/, '"3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b"');
	return JSON.parse(text) as IDataObject;
}

/** Puts an event into an example's file, which otherwise stays as it is. */
async function pin(name: string, pinned: object): Promise<void> {
	const file = fileOf(name);
	const whole = await fs.promises.readFile(file, 'utf8');
	const before = whole.replace(/(,\n\t"pinData": \{[^]*\n\t\})?\n\}\n$/, '');
	const text = `${before}, "pinData": ${JSON.stringify(pinned, null, 1)}}`;
	const config = await resolveConfig(file);
	await fs.promises.writeFile(file, await format(text, { ...config, parser: 'json' }));
}
