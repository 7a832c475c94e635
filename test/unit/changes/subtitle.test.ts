import { WorkspaceCrmChangesTrigger } from '../../../nodes/WorkspaceCrm/WorkspaceCrmChangesTrigger.node';
import { subtitleOf } from '../../support/subtitle';

test('the Changes Trigger says on the canvas what it starts on', () => {
	const { description } = new WorkspaceCrmChangesTrigger();
	const shown = subtitleOf(description, { events: ['consentChanged', 'left'] });
	expect(shown).toBe('Consent Changed, Left');
});
