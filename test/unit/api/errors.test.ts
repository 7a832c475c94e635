import { toCrmError } from '../../../nodes/WorkspaceCrm/api/errors';

/** All other texts are in docs/errors.md and in test/workflow, which make the failures happen. */
it('a wait for its turn that is too long says that the limit is used up by workflows here', () => {
	const error = toCrmError({ repeatable: false }, { kind: 'queueTooLong' }, false, {
		baseUrl: 'https://crm.example',
	});
	expect(error).toMatchObject({
		message: 'The rate limit of the service is used up',
		status: undefined,
		mayHaveHappened: false,
	});
	expect(error.description).toMatch(/^Running workflows use up .* Try again in a minute\.$/);
});
