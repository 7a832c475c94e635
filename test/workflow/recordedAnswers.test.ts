import { repositoryFolder } from '../n8n/paths';
import { eventTypes } from '../sandbox/records';
import { fs, path } from '../support/platform';
import { runNode } from './runNode';
import { useSandbox } from './support';

/** Reports of Check API, as people contributed them. */
const FOLDER = path.join(repositoryFolder, 'test/recorded');
const files = fs.readdirSync(FOLDER).filter((name) => name.endsWith('.md'));

const sandbox = useSandbox();

interface Recorded {
	endpoint: string;
	status: number;
	isUnderstood: boolean;
	notFound: string;
	form: unknown;
}

/** What a report says of the endpoints that were asked. */
function readReport(text: string): Recorded[] {
	const rows = [...text.matchAll(/^\| (GET \S+) \| (\d+) \| (\S+) \| \d* \| (.*) \|$/gm)];
	return rows.map(([, endpoint, status, understood, notFound]) => {
		const [, json = 'null'] =
			text.split(`#### ${endpoint}\n`)[1]?.match(/```json\n([^]*?)\n```/) ?? [];
		return {
			endpoint,
			status: Number(status),
			isUnderstood: understood === 'yes',
			notFound: notFound.trim(),
			form: JSON.parse(json) as unknown,
		};
	});
}

const SAMPLES: Record<string, unknown> = {
	null: null,
	number: 1,
	'true or false': true,
	'empty text': '',
	'text (UUID)': '3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b',
	'text (time)': '2026-01-01T00:00:00.000Z',
	'text (date)': '2026-01-01',
	'text (URL)': 'https://example.com/x',
	'text (phone with +)': '+4915123456789',
	'text (digits)': '4915123456789',
};

/** An answer of a form, with as much in it as the form has: a list has a record for each text. */
function sampleOf(form: unknown, texts: string[], name = ''): unknown {
	if (Array.isArray(form)) {
		return texts.flatMap((text) => form.map((part) => sampleOf(part, [text], name)));
	}
	if (typeof form === 'object' && form !== null) {
		const { 'one of': choices, 'not always': some } = form as Record<string, unknown>;
		if (Array.isArray(choices)) return sampleOf(choices[0], texts, name);
		if (some !== undefined) return sampleOf(some, texts, name);
		return Object.fromEntries(
			Object.entries(form).map(([key, part]) => [key, sampleOf(part, texts, key)]),
		);
	}
	const [kind] = String(form)
		.split(' or ')
		.filter((part) => part !== 'null');
	// No form has values, but these are only of use with theirs.
	if (name === 'opt_in_status') return 'confirmed';
	return SAMPLES[String(form)] ?? SAMPLES[kind ?? 'null'] ?? texts[0];
}

/** Values that are of use only as they are. */
function textsOf(endpoint: string): string[] {
	return endpoint === 'GET /v1/events' ? [...eventTypes] : ['Hello {{1}}, how are you?'];
}

test('there are reports', () => expect(files.length).toBeGreaterThan(0));

describe.each(files)('%s', (file) => {
	const recorded = readReport(fs.readFileSync(path.join(FOLDER, file), 'utf8'));

	test('is a report', () => expect(recorded.length).toBeGreaterThan(5));

	test('is understood as it says', async () => {
		for (const { endpoint, status, form } of recorded) {
			const pattern = endpoint.replace('GET ', '').replace('{id}', '[^/]+');
			const body = form === 'nothing' ? '' : JSON.stringify(sampleOf(form, textsOf(endpoint)));
			sandbox.fail({ match: { path: new RegExp(`^${pattern}$`) }, kind: { status, body } });
		}
		const { json } = await runNode(sandbox, {
			parameters: { resource: 'workspace', operation: 'checkApi' },
		});
		const found = json
			.filter((item) => item.status !== undefined)
			.map(({ endpoint, understood }) => ({ endpoint, isUnderstood: understood }));
		expect(found).toEqual(
			recorded.map(({ endpoint, isUnderstood }) => ({ endpoint, isUnderstood })),
		);
	});
});
