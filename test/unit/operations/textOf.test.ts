import { textOf } from '../../../nodes/WorkspaceCrm/operations/nodeErrors';

test('an error and what to do are sentences, whatever is missing', () => {
	const said = (message: string, description?: string, ...more: string[]) =>
		textOf({ message, description }, ...more);
	expect(said('It failed')).toBe('It failed');
	expect(said('It failed', 'Try again.')).toBe('It failed. Try again.');
	expect(said('It does not exist.', undefined, 'Publish.')).toBe('It does not exist. Publish.');
	expect(said('Really?', '', 'Publish.')).toBe('Really? Publish.');
	expect(said('It failed', 'It says no', 'Publish.')).toBe('It failed. It says no. Publish.');
});
