import { fs, os, path } from '../support/platform';
import { findChromium } from './chromium';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'workspace-crm-chromium-'));
const program = (name: string) => path.join(folder, name);

beforeAll(() => {
	fs.writeFileSync(program('google-chrome'), '', { mode: 0o755 });
	fs.writeFileSync(program('chromium'), 'not a program', { mode: 0o644 });
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

test('Chromium is found on the PATH, past files that are no programs', () => {
	expect(findChromium({ PATH: `/nowhere${path.delimiter}${folder}` })).toBe(
		program('google-chrome'),
	);
});

test('CHROMIUM_PATH comes first, and has to be a program', () => {
	const given = program('google-chrome');
	expect(findChromium({ CHROMIUM_PATH: given, PATH: '' })).toBe(given);
	expect(() => findChromium({ CHROMIUM_PATH: program('chromium'), PATH: folder })).toThrow(
		`CHROMIUM_PATH is ${program('chromium')}, and there is no program.`,
	);
});

test('without Chromium, the error says what to install', () => {
	expect(() => findChromium({ PATH: '/nowhere' })).toThrow(/apt-get install chromium/);
});
