import { fs, process } from '../support/platform';
import { firstHour, type FirstHour } from './firstHour';
import { toPage } from './firstHourPage';

/** `STRANGERS=200` is for the page in docs. */
const COUNT = Number(process.env.STRANGERS ?? 8);

const hours: FirstHour[] = [];

test.each(Array.from({ length: COUNT }, (_, seed) => [seed + 1]))(
	'on a service of the shapes %i, each operation works, or the text says what is not understood',
	async (seed) => {
		const hour = await firstHour(seed);
		hours.push(hour);
		const lost = hour.outcomes.filter(({ end }) => end === 'lost');
		if (lost.length > 0) throw new Error(JSON.stringify({ lost, hour }, undefined, 1));
	},
	60_000,
);

test('the page in docs tells of 200', () => {
	if (process.env.UPDATE_DOCS && COUNT >= 200)
		fs.writeFileSync('docs/first-hour.md', toPage(hours));
	expect(fs.readFileSync('docs/first-hour.md', 'utf8')).toMatch(/^200 services/m);
});
