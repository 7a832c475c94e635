import { hints } from '../../../../support/hints';

test('the hint at what counts as approved stays after a run, because it explains the output', () => {
	const always = hints.filter(({ whenToDisplay }) => whenToDisplay === 'always');
	expect(always.map(({ message }) => message)).toEqual([
		expect.stringMatching(/^'answer' is yes only if the whole reply is an approval word/),
	]);
});
