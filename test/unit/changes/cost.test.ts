import { costText, intervalMinutes } from '../../../nodes/WorkspaceCrm/changes/cost';

const every = (...item: object[]) => ({ item });

test.each([
	[every({ mode: 'everyMinute' }), 1],
	[every({ mode: 'everyX', value: 5, unit: 'minutes' }), 5],
	[every({ mode: 'everyX', value: 2, unit: 'hours' }), 120],
	[every({ mode: 'everyDay' }, { mode: 'everyDay' }), 720],
	[every({ mode: 'custom', cronExpression: '* * * * *' }), undefined],
	[every(), undefined],
	[undefined, undefined],
])('%j is a poll every %s minutes', (pollTimes, expected) => {
	expect(intervalMinutes(pollTimes)).toBe(expected);
});

test('from half of the rate limit on, the text says what to do', () => {
	const text = (contacts: number, value: number) =>
		costText(contacts, every({ mode: 'everyX', value, unit: 'minutes' }));
	expect(text(10_000, 5)).toBe(
		'Reading 10,000 contacts takes 100 requests a poll. At a poll every 5 minutes, that is 20 of the 120 requests a minute that the service allows for the API key.',
	);
	expect(text(10_000, 1)).toMatch(
		/that is 100 of the 120 .* Poll every 4 minutes or less often\.$/,
	);
	expect(costText(0, undefined)).toBe('Reading 0 contacts takes 1 request a poll.');
});
